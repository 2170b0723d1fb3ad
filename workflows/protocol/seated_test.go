package protocol_test

import (
	"testing"

	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/seats"
	"roundtable/workflows/stopping"
	"roundtable/workflows/transcript"
)

// seated plays a round table of two rounds in which agents propose A, B and C and vote
// for their own; it returns the session.
func seated(t *testing.T, all []seats.Seat) *protocol.Session {
	t.Helper()
	p := protocol.DefaultRoundtable()
	p.Rounds = 3
	set := protocol.Setting{Agents: 3, Rule: plurality(), Seats: all}
	s := protocol.NewSession(must(protocol.NewRoundtable(p, set)), set, stopping.Never{})
	for s.Outcome() == nil {
		for _, at := range s.Pending() {
			act := transcript.Act{Status: transcript.Said}
			switch at.Payload.Format {
			case transcript.FormatProposal:
				act.Key = string(rune('A' + at.Speaker.Index))
			case transcript.FormatBallot:
				act.Ballot = &transcript.Ballot{Choice: at.Speaker.Index}
			}
			if err := s.Record(at.Entry, act); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

// One of three who vote for their own has two votes, and wins.
func TestVotesOfSeats(t *testing.T) {
	if s := seated(t, nil); s.Outcome().Standing >= 0 {
		t.Errorf("of three votes for three, %d wins", s.Outcome().Standing)
	}
	s := seated(t, []seats.Seat{{}, {Votes: new(2)}, {}})
	if key := s.Transcript().Entries[max(0, s.Outcome().Standing)].Act.Key; key != "B" {
		t.Errorf("%q wins", key)
	}
	set := protocol.Setting{Agents: 3, Rule: must(decision.NewMajority(decision.MajorityParams{})), Seats: []seats.Seat{{Votes: new(0)}, {Votes: new(0)}, {}}}
	step := transcript.Step{Payload: transcript.Payload{Candidates: make([]transcript.Candidate, 3)}}
	if p := set.Profile(&transcript.Transcript{Agents: 3}, step); p.Electorate != 1 {
		t.Errorf("an electorate of %d, want the one agent with a vote", p.Electorate)
	}
}

// An agent that remembers one round sees nothing that agents said before it, but what
// it votes on; one that remembers nothing sees this round alone. The others see all.
func TestMemoryOfSeats(t *testing.T) {
	s := seated(t, []seats.Seat{{}, {Memory: new(1)}, {Memory: new(0)}})
	oldest := map[int]int{}
	for _, e := range s.Transcript().Entries {
		if e.Round != 3 || e.Kind != transcript.Ask || e.Phase != protocol.PhaseMessage {
			continue
		}
		oldest[e.Speaker.Index] = 99
		for _, r := range e.Sees {
			for _, seen := range s.Transcript().Entries[r.From:r.To] {
				if seen.Speaker.Role == "" {
					oldest[e.Speaker.Index] = min(oldest[e.Speaker.Index], seen.Round)
				}
			}
		}
	}
	if oldest[0] != 1 || oldest[1] != 2 || oldest[2] != 99 {
		t.Errorf("in round 3 the oldest rounds that agents see are %v, want 1, 2 and none", oldest)
	}
	for _, e := range s.Transcript().Entries {
		for _, c := range e.Payload.Candidates {
			if e.Kind == transcript.Ask && !sees(e, c.Entry) {
				t.Errorf("entry %d does not see candidate %d", e.Index, c.Entry)
			}
		}
	}
}

func sees(e transcript.Entry, entry int) bool {
	for _, r := range e.Sees {
		if entry >= r.From && entry < r.To {
			return true
		}
	}
	return false
}
