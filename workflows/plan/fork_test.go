package plan

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roundtable/workflows/catalogue"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// someAct is what a speaker does in an entry; it depends on the entry alone.
func someAct(p protocol.Pending) transcript.Act {
	draw := rand.New(rand.NewPCG(uint64(p.Entry), 7))
	a := transcript.Act{Status: transcript.Said, Values: []float64{draw.Float64()}}
	form := p.Payload.Ballot
	switch {
	case p.Payload.Format != transcript.FormatBallot:
		a.Key = string(rune('a' + draw.IntN(3)))
		return a
	case form.Kind == transcript.Choose:
		a.Ballot = &transcript.Ballot{Choice: draw.IntN(form.N)}
	case form.Kind == transcript.Rank:
		a.Ballot = &transcript.Ballot{Order: draw.Perm(form.N)}
	case form.Kind == transcript.Rate:
		points := make([]int, form.N)
		for i := range points {
			points[i] = form.Min + draw.IntN(form.Max-form.Min+1)
		}
		a.Ballot = &transcript.Ballot{Points: points}
	default:
		a.Ballot = &transcript.Ballot{Abstain: true}
	}
	return a
}

// playAll plays a session to its end.
func playAll(s *protocol.Session) error {
	for s.Outcome() == nil {
		for _, p := range s.Pending() {
			if err := s.Record(p.Entry, someAct(p)); err != nil {
				return err
			}
		}
	}
	return nil
}

// forkOf returns the condition that goes on from another one at a round.
func forkOf(c Condition, round int) Condition {
	fork := c
	fork.Fork = &Fork{Campaign: "original", Condition: c.ID(), Replicates: 1, Round: round}
	return fork
}

// TestForksOfAllProtocols: under every protocol and rule, a fork without a change comes to
// the same transcript; one with another rule keeps the prefix as it was, or says that the
// rule cannot go on from it, and never breaks.
func TestForksOfAllProtocols(t *testing.T) {
	plugins := catalogue.Builtin()
	forks, changed, refused := 0, 0, 0
	for _, proto := range plugins.Protocols {
		for _, rule := range plugins.Rules {
			c := Condition{Protocol: Choice{Name: proto.Name}, Rule: Choice{Name: rule.Name}, Stop: Choice{Name: "never"}}
			s, err := c.Session(plugins, 4, 1)
			if err != nil || playAll(s) != nil {
				continue
			}
			want := s.Transcript().Entries
			for round := 1; round <= min(s.Outcome().Round, 4); round++ {
				control, err := forkOf(c, round).Session(plugins, 4, 1)
				if err == nil {
					err = playAll(control)
				}
				if err != nil || !reflect.DeepEqual(control.Transcript().Entries, want) {
					t.Errorf("%s, %s: forked at round %d without a change it is another transcript (%v)", proto.Name, rule.Name, round, err)
				}
				forks++
				for _, other := range plugins.Rules {
					fork := forkOf(c, round)
					fork.Fork.Was = ForkedKeys{"rule": JSON(c.Rule)}
					fork.Rule = Choice{Name: other.Name}
					if _, err := fork.buildParts(plugins, 4, 1, func(r stopping.Rule) stopping.Rule { return r }); err != nil { // no fork matters to it
						continue
					}
					s, err := fork.Session(plugins, 4, 1)
					if err == nil {
						err = playAll(s)
					}
					switch {
					case err != nil && strings.Contains(err.Error(), "cannot continue from these turns"):
						refused++
						continue
					case err != nil:
						t.Errorf("%s: from %s to %s in round %d: %v", proto.Name, rule.Name, other.Name, round, err)
						continue
					}
					got := s.Transcript().Entries
					if n := s.Prefix(); n > len(want) || !reflect.DeepEqual(got[:n], want[:n]) || slices.ContainsFunc(got[n:], func(e transcript.Entry) bool { return e.Round < round }) {
						t.Errorf("%s: from %s to %s in round %d: the first %d entries are other ones, or later ones are of earlier rounds", proto.Name, rule.Name, other.Name, round, n)
					}
					changed++
				}
			}
		}
	}
	t.Logf("%d forks without a change, %d with another rule, %d refused", forks, changed, refused)
	if forks < 100 || changed < 500 {
		t.Errorf("%d forks without a change and %d with one are too few to say anything", forks, changed)
	}
}

// The id of a condition changes with its fork, and the original is found from it.
func TestForkIdentity(t *testing.T) {
	c := Condition{Protocol: Choice{Name: "roundtable"}, Rule: Choice{Name: "majority"}, Stop: Choice{Name: "never"}, Reasks: 2}
	one, two := forkOf(c, 2), forkOf(c, 3)
	if one.ID() == c.ID() || one.ID() == two.ID() {
		t.Errorf("ids are %s, %s, %s", c.ID(), one.ID(), two.ID())
	}
	one.Fork.Was, one.Rule = ForkedKeys{"rule": JSON(c.Rule), "agents": json.RawMessage("null")}, Choice{Name: "ranked"}
	one.Agents = &Agents{}
	if was, err := one.Original(); err != nil || !reflect.DeepEqual(was, c) {
		t.Errorf("the original is %+v: %v", was, err)
	}
	one.Reasks = 3
	if _, err := one.Original(); err == nil {
		t.Error("a condition whose original is another one has one")
	}
	plugins := catalogue.Builtin()
	two.Fork.Round = 20 // never reached
	if s, err := two.Session(plugins, 3, 1); err != nil || playAll(s) != nil || s.Prefix() != len(s.Transcript().Entries) {
		t.Errorf("a fork that is not reached: %v", errors.Join(err))
	}
}
