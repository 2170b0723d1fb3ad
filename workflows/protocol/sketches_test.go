package protocol_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// A throwaway protocol of another paper, on the same interface: whether it
// carries it is what this test shows. It is played to its end.

// seen is the entries that a step's speaker is shown, in their order.
func seen(s *protocol.Session, step transcript.Step) []transcript.Entry {
	var shown []transcript.Entry
	for _, r := range step.Sees {
		for _, e := range s.Transcript().Entries[r.From:r.To] {
			if e.Audience.Hears(step.Speaker) {
				shown = append(shown, e)
			}
		}
	}
	return shown
}

// indices of entries.
func indices(entries []transcript.Entry) []int {
	var all []int
	for _, e := range entries {
		all = append(all, e.Index)
	}
	return all
}

// play answers every pending step until the end, at most n plans.
func play(t *testing.T, s *protocol.Session, plans int, answer func(protocol.Pending) transcript.Act) {
	t.Helper()
	for range plans {
		if s.Outcome() != nil {
			return
		}
		for _, p := range s.Pending() {
			if err := s.Record(p.Entry, answer(p)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.Outcome() == nil {
		t.Fatalf("no end after %d plans", plans)
	}
}

// runs writes entries as ranges, joining neighbours.
func runs(entries []int) []transcript.Range {
	var ranges []transcript.Range
	for _, i := range entries {
		if n := len(ranges); n > 0 && ranges[n-1].To == i {
			ranges[n-1].To++
		} else {
			ranges = append(ranges, transcript.Range{From: i, To: i + 1})
		}
	}
	return ranges
}

// consensus is paper 2's: agents speak in turn, each agrees with the draft on
// the table or replaces it by its own, and after each message the draft's author
// and those who agreed one after another are counted. Nobody is shown the count.
type consensus struct{ agents, rounds, window int }

func (c consensus) Rounds() int             { return c.rounds }
func (c consensus) Traits() protocol.Traits { return protocol.Traits{} }

func (c consensus) Next(t *transcript.Transcript) protocol.Plan {
	var draft, votes []int // entries of drafts; of the messages since the last draft
	said := 0
	for _, e := range t.Entries {
		if e.Kind != transcript.Ask {
			continue
		}
		said++
		if e.Act.Key != "" {
			draft, votes = append(draft, e.Index), nil
		}
		votes = append(votes, e.Index)
	}
	round, at := said/c.agents+1, len(t.Entries)
	if at > 0 {
		switch last := t.Entries[at-1]; {
		case last.Kind == transcript.Ask && len(draft) > 0:
			return protocol.Plan{Steps: []transcript.Step{{
				Kind: transcript.Decide, Speaker: transcript.Speaker{Role: "rule"}, Round: last.Round, Phase: "check",
				Payload: transcript.Payload{Candidates: c.table(t, draft), Standing: -1, Ballots: runs(votes)},
			}}}
		case last.Kind == transcript.Decide && last.Act.Decision.Selected >= 0:
			return protocol.Plan{End: &protocol.Outcome{Standing: last.Act.Decision.Standing, Reason: "consensus", Round: last.Round}}
		}
	}
	if round > c.rounds { // the first agent's latest draft
		e, _ := t.Last(func(e transcript.Entry) bool { return e.Speaker == transcript.Speaker{} && e.Act.Key != "" })
		return protocol.Plan{End: &protocol.Outcome{Standing: e.Index, Reason: "rounds", Round: c.rounds}}
	}
	from := 0
	if e, ok := t.Last(func(e transcript.Entry) bool { return e.Round < round-c.window }); ok {
		from = e.Index + 1
	}
	payload := transcript.Payload{Format: "draft", Standing: -1, Ballot: transcript.BallotSpec{Kind: transcript.Choose, N: 1}}
	if len(draft) > 0 {
		payload.Candidates = c.table(t, draft)
	}
	return protocol.Plan{Steps: []transcript.Step{{
		Kind: transcript.Ask, Speaker: transcript.Speaker{Index: said % c.agents}, Round: round, Phase: "message",
		Sees: []transcript.Range{{From: from, To: at}}, Audience: transcript.Everybody, Payload: payload,
	}}}
}

func (consensus) table(t *transcript.Transcript, drafts []int) []transcript.Candidate {
	i := drafts[len(drafts)-1]
	return []transcript.Candidate{{Key: t.Entries[i].Act.Key, Entry: i, Agents: []int{t.Entries[i].Speaker.Index}}}
}

// supermajority is more than two thirds, counted exactly.
type supermajority struct{ decision.Rule }

func (s supermajority) Tally(p decision.Profile) decision.Result {
	r := plurality().Tally(p)
	least := big.NewRat(2*int64(p.Electorate), 3)
	r.Winners = slices.DeleteFunc(r.Winners, func(c int) bool { return r.Scores[c].Cmp(least) <= 0 })
	return r
}

func TestSketchConsensusAfterEachMessage(t *testing.T) {
	agree := transcript.Act{Status: transcript.Said, Tags: []string{"agree"}, Ballot: &transcript.Ballot{Choice: 0}}
	draft := func(key string) transcript.Act {
		return transcript.Act{Status: transcript.Said, Tags: []string{"disagree"}, Key: key}
	}
	script := []transcript.Act{draft("x"), draft("y"), agree, agree, draft("z"), agree, invalid, agree}
	for name, x := range map[string]struct {
		rule     decision.Rule
		rounds   int
		messages int // said before the end
		want     protocol.Outcome
	}{
		// Entries alternate: message 0, check 1, message 2, …; y is entry 2.
		"majority":      {majority(), 5, 3, protocol.Outcome{Standing: 2, Reason: "consensus", Round: 1}},
		"supermajority": {supermajority{majority()}, 5, 4, protocol.Outcome{Standing: 2, Reason: "consensus", Round: 2}},
		"unanimous":     {must(decision.NewUnanimous(decision.UnanimousParams{})), 5, 4, protocol.Outcome{Standing: 2, Reason: "consensus", Round: 2}},
		"never":         {never{majority()}, 2, 6, protocol.Outcome{Standing: 0, Reason: "rounds", Round: 2}},
	} {
		set := protocol.Setting{Agents: 3, Rule: x.rule}
		s := protocol.NewSession(consensus{agents: 3, rounds: x.rounds, window: 2}, set, stopping.Never{})
		said := 0
		play(t, s, 100, func(p protocol.Pending) transcript.Act {
			if len(s.Pending()) != 1 || p.Speaker.Index != said%3 || p.Entry != 2*said {
				t.Errorf("%s: message %d is %+v", name, said, p)
			}
			for _, e := range seen(s, p.Step) {
				if e.Kind == transcript.Decide {
					t.Errorf("%s: agent %d is shown the count %d", name, p.Speaker.Index, e.Index)
				}
			}
			said++
			return script[said-1]
		})
		if said != x.messages || *s.Outcome() != x.want {
			t.Errorf("%s: %d messages, %+v; want %d, %+v", name, said, *s.Outcome(), x.messages, x.want)
		}
	}
	// Memory is a window: in round 4 of 2 agents nothing from before round 2 is seen.
	set := protocol.Setting{Agents: 2, Rule: never{majority()}}
	s := protocol.NewSession(consensus{agents: 2, rounds: 4, window: 2}, set, stopping.Never{})
	play(t, s, 100, func(p protocol.Pending) transcript.Act {
		for _, e := range seen(s, p.Step) {
			if e.Round < p.Round-2 {
				t.Errorf("round %d remembers round %d", p.Round, e.Round)
			}
		}
		if shown := len(seen(s, p.Step)); p.Entry == 12 && shown != 4 {
			t.Errorf("%d messages of two rounds", shown)
		}
		return draft(fmt.Sprint(p.Entry))
	})
}

// never selects nothing.
type never struct{ decision.Rule }

func (never) Tally(p decision.Profile) decision.Result {
	return decision.Result{Scores: make([]*big.Rat, p.Candidates)}
}
