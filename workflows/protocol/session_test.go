package protocol_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// Within a plan acts may come in any order; the entries appear together.
func TestRecordOutOfOrder(t *testing.T) {
	s := start(3, majority(), params(1))
	record := func(entry int) {
		t.Helper()
		if err := s.Record(entry, transcript.Act{Status: transcript.Said, Key: string(rune('a' + entry))}); err != nil {
			t.Fatal(err)
		}
	}
	record(2)
	record(0)
	if n := len(s.Transcript().Entries); n != 0 {
		t.Errorf("%d entries of a plan that is not full", n)
	}
	if p := s.Pending(); len(p) != 1 || p[0].Entry != 1 || p[0].Speaker.Index != 1 {
		t.Errorf("pending is %+v", p)
	}
	entries := s.Entries()
	if len(entries) != 2 || entries[0].Index != 0 || entries[1].Index != 2 || entries[1].Act.Key != "c" || entries[1].Speaker.Index != 2 {
		t.Errorf("entries are %+v", entries)
	}
	record(1)
	if e := s.Transcript().Entries; len(e) != 3 || e[0].Act.Key != "a" || e[1].Act.Key != "b" || e[2].Act.Key != "c" {
		t.Errorf("the transcript is %+v", e)
	}
	if p := s.Pending(); len(p) != 3 || p[0].Phase != "proposal" || p[0].Entry != 3 {
		t.Errorf("next is %+v", p)
	}
	entries = s.Entries()
	entries[0].Act.Key = "changed"
	if s.Transcript().Entries[0].Act.Key != "a" {
		t.Error("Entries gives the transcript itself away")
	}
}

func TestRecordRefuses(t *testing.T) {
	s := start(2, majority(), params(1, "message"))
	for _, entry := range []int{-1, 2, 100} {
		if err := s.Record(entry, spoke); err == nil || !strings.Contains(err.Error(), "is not pending") {
			t.Errorf("entry %d: error %v", entry, err)
		}
	}
	if err := s.Record(1, spoke); err != nil {
		t.Fatal(err)
	}
	if err := s.Record(1, skipped); err == nil || !strings.Contains(err.Error(), "entry 1 is not pending") {
		t.Errorf("a second act gives the error %v", err)
	}
	take(t, s, spoke)
	for entry := range 4 {
		if err := s.Record(entry, spoke); err == nil {
			t.Errorf("entry %d of a collaboration that has ended is recorded", entry)
		}
	}
	if s.Entries()[1].Act.Status != transcript.Said || len(s.Pending()) != 0 || s.Round() != 1 {
		t.Errorf("after errors: %+v", s.Entries())
	}
}

// Whatever the order of acts, the same acts make the same transcript.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := params(2, "message", "proposal", "vote")
		p.Ties = transcript.TiesLottery
		straight, shuffled := start(3, plurality(), p), start(3, plurality(), p)
		for straight.Outcome() == nil {
			acts := map[int]transcript.Act{}
			for _, step := range straight.Pending() {
				act := spoke
				switch step.Payload.Format {
				case transcript.FormatProposal:
					act = rapid.SampledFrom([]transcript.Act{proposed("a"), proposed("b"), skipped, invalid}).Draw(rt, "proposal")
				case transcript.FormatBallot:
					act = rapid.SampledFrom([]transcript.Act{abstained, invalid, voted(0), voted(len(step.Payload.Candidates) - 1)}).Draw(rt, "ballot")
				}
				acts[step.Entry] = act
			}
			for _, step := range straight.Pending() {
				if err := straight.Record(step.Entry, acts[step.Entry]); err != nil {
					rt.Fatal(err)
				}
			}
			for _, step := range rapid.Permutation(shuffled.Pending()).Draw(rt, "order") {
				if err := shuffled.Record(step.Entry, acts[step.Entry]); err != nil {
					rt.Fatal(err)
				}
			}
		}
		if !reflect.DeepEqual(straight.Transcript(), shuffled.Transcript()) || !reflect.DeepEqual(straight.Outcome(), shuffled.Outcome()) {
			rt.Fatalf("%+v\n%+v", straight.Entries(), shuffled.Entries())
		}
	})
}

// Stopping rules are asked at the end of each round, and end it.
func TestStopping(t *testing.T) {
	play := func(stop stopping.Rule, rounds ...[3][2]transcript.Act) *protocol.Session {
		set := protocol.Setting{Agents: 2, Rule: majority(), Seed: 1}
		s := protocol.NewSession(must(protocol.NewRoundtable(params(3), set)), set, stop)
		for _, acts := range rounds {
			for _, a := range acts {
				if s.Outcome() != nil {
					return s
				}
				take(t, s, a[:]...)
			}
		}
		return s
	}
	disagree := [3][2]transcript.Act{{spoke, spoke}, {proposed("a"), proposed("b")}, {voted(0), voted(1)}}
	agree := [3][2]transcript.Act{{spoke, spoke}, {proposed("a"), proposed("b")}, {voted(0), voted(0)}}
	idle := [3][2]transcript.Act{{spoke, spoke}, {skipped, skipped}, {voted(0), voted(0)}}
	for name, x := range map[string]struct {
		s    *protocol.Session
		want *protocol.Outcome
	}{
		"never":              {play(stopping.Never{}, agree, idle, idle), &protocol.Outcome{Standing: 2, Reason: "rounds", Round: 3}},
		"first":              {play(stopping.FirstAgreement{}, agree), &protocol.Outcome{Standing: 2, Reason: "stopped", Round: 1}},
		"first, later":       {play(stopping.FirstAgreement{}, disagree, agree), &protocol.Outcome{Standing: 9, Reason: "stopped", Round: 2}},
		"first, not yet":     {play(stopping.FirstAgreement{}, disagree), nil},
		"first, in the last": {play(stopping.FirstAgreement{}, disagree, disagree, agree), &protocol.Outcome{Standing: 16, Reason: "rounds", Round: 3}},
		"consecutive":        {play(stopping.ConsecutiveAgreements{}, agree, idle), &protocol.Outcome{Standing: 2, Reason: "stopped", Round: 2}},
		"consecutive, busy":  {play(stopping.ConsecutiveAgreements{}, agree, agree), nil},
	} {
		if !reflect.DeepEqual(x.s.Outcome(), x.want) {
			t.Errorf("%s: %+v, want %+v", name, x.s.Outcome(), x.want)
		}
		if x.want == nil {
			if len(x.s.Pending()) == 0 {
				t.Errorf("%s: neither pending nor ended", name)
			}
			continue
		}
		if len(x.s.Pending()) != 0 || x.s.Round() != x.want.Round || len(x.s.Entries()) != len(x.s.Transcript().Entries) {
			t.Errorf("%s: ended in round %d with %d pending", name, x.s.Round(), len(x.s.Pending()))
		}
	}
}

// nothing is a protocol that breaks its promise.
type nothing struct{}

func (nothing) Next(*transcript.Transcript) protocol.Plan { return protocol.Plan{} }
func (nothing) Rounds() int                               { return 1 }
func (nothing) Traits() protocol.Traits                   { return protocol.Traits{} }

// fragile is a protocol with an error after its first round.
type fragile struct{ protocol.Protocol }

func (f fragile) Next(t *transcript.Transcript) protocol.Plan {
	if len(t.Entries) > 0 {
		panic("no such agent")
	}
	return f.Protocol.Next(t)
}

// A panic of a protocol is an error, which ends its collaboration; what was said stays.
func TestPanicIsAnError(t *testing.T) {
	set := protocol.Setting{Agents: 2, Rule: majority(), Seed: 1}
	s, err := protocol.Begin(fragile{must(protocol.NewRoundtable(params(3), set))}, set, stopping.Never{})
	if err == nil {
		err = s.Record(0, spoke)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Record(1, spoke); !errors.Is(err, protocol.ErrPanic) || !strings.Contains(err.Error(), "no such agent") {
		t.Errorf("after the second message: %v", err)
	}
	if len(s.Entries()) != 2 || len(s.Pending()) != 0 || s.Outcome() != nil {
		t.Errorf("%d entries, %d pending, outcome %v", len(s.Entries()), len(s.Pending()), s.Outcome())
	}
	if _, err := protocol.Begin(nothing{}, set, stopping.Never{}); !errors.Is(err, protocol.ErrPanic) {
		t.Errorf("a protocol that plans nothing: %v", err)
	}
}

// A protocol that plans nothing is found at once; it would otherwise never end.
func TestEmptyPlan(t *testing.T) {
	defer func() {
		if r := recover(); r == nil || !strings.Contains(r.(string), "exactly one of the two") {
			t.Errorf("recovered %v", r)
		}
	}()
	protocol.NewSession(nothing{}, protocol.Setting{Agents: 1}, stopping.Never{})
}
