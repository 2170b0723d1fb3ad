package protocol_test

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// parts drive a roundtable of 3 agents with a rule.
func parts(t *testing.T, rule decision.Rule, p protocol.RoundtableParams) protocol.Parts {
	t.Helper()
	set := protocol.Setting{Agents: 3, Rule: rule, Seed: 1}
	made, err := protocol.NewRoundtable(p, set)
	if err != nil {
		t.Fatal(err)
	}
	return protocol.Parts{Protocol: made, Setting: set, Stop: stopping.Never{}}
}

// entryAct is what an agent does in an entry: it depends on the entry alone.
func entryAct(p protocol.Pending) transcript.Act {
	a := transcript.Act{Status: transcript.Said}
	switch p.Payload.Format {
	case transcript.FormatProposal:
		a.Key = fmt.Sprint("k", p.Entry%4)
	case transcript.FormatBallot:
		b := transcript.Ballot{Choice: p.Round % p.Payload.Ballot.N}
		if p.Payload.Ballot.Kind == transcript.Rank {
			b = transcript.Ballot{}
			for i := range p.Payload.Ballot.N {
				b.Order = append(b.Order, (p.Entry+i)%p.Payload.Ballot.N)
			}
		}
		a.Ballot = &b
	}
	return a
}

// playFork plays a session to its end and returns how many entries were asked for after the
// prefix.
func playFork(t *testing.T, s *protocol.Session) (asked int) {
	t.Helper()
	for s.Outcome() == nil {
		prefix := s.InPrefix()
		for _, p := range s.Pending() {
			if !prefix {
				asked++
			}
			if err := s.Record(p.Entry, entryAct(p)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return asked
}

func original(t *testing.T, by protocol.Parts) []transcript.Entry {
	t.Helper()
	s := protocol.NewSession(by.Protocol, by.Setting, by.Stop)
	playFork(t, s)
	return s.Transcript().Entries
}

func forked(t *testing.T, f protocol.Fork, after protocol.Parts) *protocol.Session {
	t.Helper()
	s, err := protocol.BeginFork(f, after)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Without a change a fork at any round, or any entry, comes to the same transcript.
func TestForkWithoutAChange(t *testing.T) {
	by := parts(t, majority(), params(3, "message", "proposal", "vote"))
	want := original(t, by)
	for round := 1; round <= 3; round++ {
		s := forked(t, protocol.Fork{Before: by, Round: round}, by)
		asked := playFork(t, s)
		if !reflect.DeepEqual(s.Transcript().Entries, want) {
			t.Errorf("forked at round %d it is another transcript", round)
		}
		if asked != 9*(4-round) || s.Prefix() != 10*(round-1) || s.InPrefix() {
			t.Errorf("forked at round %d: %d asked, a prefix of %d", round, asked, s.Prefix())
		}
	}
	for entry := 1; entry < len(want); entry++ {
		s := forked(t, protocol.Fork{Before: by, Entry: entry}, by)
		playFork(t, s)
		if !reflect.DeepEqual(s.Transcript().Entries, want) || s.Prefix() < entry || s.Prefix() > entry+3 {
			t.Errorf("forked at entry %d: %d entries of %d before it, in all %d", entry, s.Prefix(), entry, len(s.Transcript().Entries))
		}
	}
}

// The prefix keeps the decisions of the rule that made them; from the fork on another one decides.
func TestForkWithAnotherRule(t *testing.T) {
	by := parts(t, plurality(), params(4, "message", "proposal", "vote"))
	was := original(t, by)
	for _, rule := range []decision.Rule{must(decision.NewRanked(decision.RankedParams{})), unanimous(), must(decision.NewAgreement(decision.AgreementParams{Share: decision.Share{Rat: big.NewRat(1, 3)}}))} {
		s := forked(t, protocol.Fork{Before: by, Round: 3}, parts(t, rule, params(4, "message", "proposal", "vote")))
		playFork(t, s)
		got := s.Transcript().Entries
		if s.Prefix() != 20 || !reflect.DeepEqual(got[:20], was[:20]) {
			t.Errorf("under %T the prefix has %d entries, or other ones", rule, s.Prefix())
		}
		if len(got) <= 20 || got[20].Round != 3 || got[20].Phase != "message" {
			t.Errorf("under %T the fork begins with %+v", rule, got[min(20, len(got)-1)].Step)
		}
		if vote := got[26]; decision.MeansOf(rule) == decision.ByBallots && vote.Payload.Ballot.Kind != rule.Ballot(3, 3).Kind {
			t.Errorf("under %T agents are asked for %s", rule, vote.Payload.Ballot.Kind)
		}
	}
}

// Nobody asks an agent that is dropped, and nobody sees a turn of it.
func TestForkWithoutAnAgent(t *testing.T) {
	by := parts(t, majority(), params(3, "message", "proposal", "vote"))
	s := forked(t, protocol.Fork{Before: by, Round: 2, Drop: []int{1}}, by)
	if asked := playFork(t, s); asked != 2*3*2 {
		t.Errorf("%d turns are asked for; 12 are left of two agents", asked)
	}
	for _, e := range s.Transcript().Entries {
		dropped := e.Kind == transcript.Ask && e.Speaker.Index == 1 && e.Round > 1
		if dropped && e.Payload.Format == transcript.FormatBallot && (e.Act.Status != transcript.Abstained || !e.Act.Ballot.Abstain) {
			t.Errorf("entry %d: its ballot is %+v", e.Index, e.Act)
		}
		if dropped && e.Payload.Format != transcript.FormatBallot && e.Act.Status != transcript.Skipped {
			t.Errorf("entry %d: its turn is %+v", e.Index, e.Act)
		}
		for _, r := range e.Sees {
			for i := r.From; i < r.To; i++ {
				if seen := s.Transcript().Entries[i]; seen.Round > 1 && seen.Kind == transcript.Ask && seen.Speaker.Index == 1 && seen.Payload.Format != transcript.FormatBallot {
					t.Errorf("entry %d sees entry %d, a turn that was skipped", e.Index, i)
				}
			}
		}
	}
}

// A message that is removed is seen by nobody; one that is replaced is given, not asked
// for. Both end the prefix with the plan in which they stand.
func TestForkOfMessages(t *testing.T) {
	by := parts(t, majority(), params(3, "message", "proposal", "vote"))
	first := protocol.Message{Round: 2, Agent: new(0), Phase: "message"}
	s := forked(t, protocol.Fork{Before: by, Remove: []protocol.Message{first, {Round: 3, Phase: "message"}}}, by)
	asked := playFork(t, s)
	entries := s.Transcript().Entries
	if s.Prefix() != 13 || entries[10].Act.Status != transcript.Skipped || entries[11].Act.Status != transcript.Said {
		t.Errorf("the prefix has %d entries, the first of round 2 are %+v and %+v", s.Prefix(), entries[10].Act, entries[11].Act)
	}
	if asked != 6+6 {
		t.Errorf("%d turns are asked for; without the messages of round 3 there are 12", asked)
	}
	for _, e := range entries[13:] {
		if slices.ContainsFunc(e.Sees, func(r transcript.Range) bool { return r.From <= 10 && 10 < r.To }) {
			t.Errorf("entry %d sees what was removed", e.Index)
		}
	}
	s = forked(t, protocol.Fork{Before: by, Replace: []protocol.Replacement{{Message: first, Text: "something else"}}}, by)
	for len(s.Transcript().Entries) < 10 {
		for _, p := range s.Pending() {
			if err := s.Record(p.Entry, entryAct(p)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if text, ok := s.Instead(10); !ok || text != "something else" || !s.InPrefix() {
		t.Errorf("in place of entry 10 stands %q", text)
	}
	if _, ok := s.Instead(11); ok {
		t.Error("entry 11 is replaced, too")
	}
}

// A collaboration that ends before the fork is the original to its end.
func TestForkThatIsNotReached(t *testing.T) {
	by := parts(t, majority(), params(5, "message", "proposal", "vote"))
	by.Stop = stopping.FirstAgreement{}
	want := original(t, by)
	s := forked(t, protocol.Fork{Before: by, Round: 5, Drop: []int{0}}, by)
	if asked := playFork(t, s); asked != 0 || s.Prefix() != len(want) || !reflect.DeepEqual(s.Transcript().Entries, want) || s.Outcome().Reason != "stopped" {
		t.Errorf("%d asked, %d of %d entries, the end is %+v", asked, len(s.Transcript().Entries), len(want), s.Outcome())
	}
}

// What reads the turns before it as others than they are is refused, as an error.
func TestForkThatCannotGoOn(t *testing.T) {
	by := parts(t, majority(), params(3, "message", "proposal", "vote"))
	s := forked(t, protocol.Fork{Before: by, Round: 2}, parts(t, majority(), params(1, "message", "proposal", "vote")))
	var err error
	for err == nil && s.Outcome() == nil {
		p := s.Pending()[0]
		err = s.Record(p.Entry, entryAct(p))
	}
	if err == nil || !strings.Contains(err.Error(), "cannot continue from these turns: after 10 entries round 2 would follow, and with the change the end does") {
		t.Errorf("the error is %v", err)
	}
}
