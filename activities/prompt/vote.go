package prompt

import (
	"fmt"
	"strings"

	"roundtable/workflows/transcript"
)

// Vote is one counted vote.
type Vote struct {
	Round      int
	Candidates []Candidate
	Ballots    []Cast
	Result     string // in words; since edition 2, templates describe ties themselves
	Tied       string // the candidates that won together, if several did
	Taken      int    // candidate that is selected, from 1; 0 is none
}

// Cast is one counted ballot.
type Cast struct {
	From, Text string
	Reason     string // its author's, if reasons are shown
}

// vote returns what agents are shown of a counted vote.
func (s Source) vote(decide transcript.Entry, ballots []transcript.Entry) *Vote {
	names := s.agentNames()
	v := &Vote{Round: decide.Round, Candidates: s.candidatesShown(decide.Payload.Candidates)}
	for _, b := range ballots {
		v.Ballots = append(v.Ballots, Cast{From: name(names, b.Speaker), Text: ballotText(b),
			Reason: s.reasonIn(b.Index)})
	}
	switch d := decide.Act.Decision; {
	case len(v.Candidates) == 0:
		v.Result = "there was no candidate"
	case len(d.Winners) == 1:
		v.Result = fmt.Sprintf("candidate %d wins", d.Winners[0]+1)
	case len(d.Winners) > 1:
		v.Tied, v.Taken = candidateNumbers(d.Winners), max(0, d.Selected+1)
		v.Result = v.Tied + " won together, so none is taken"
		if v.Taken > 0 {
			v.Result = fmt.Sprintf("%s won together, and %d is taken", v.Tied, v.Taken)
		}
	default:
		v.Result = "no candidate won"
	}
	return v
}

// ballotText returns a ballot in words, candidates counted from 1.
func ballotText(e transcript.Entry) string {
	b := e.Act.Ballot
	if b == nil || b.Abstain {
		return "no ballot"
	}
	switch e.Payload.Ballot.Kind {
	case transcript.Choose:
		return fmt.Sprint("candidate ", b.Choice+1)
	case transcript.Rank:
		return strings.Join(candidateIDs(b.Order), " > ")
	case transcript.Approve:
		return candidateNumbers(b.Order)
	}
	var parts []string
	for c, p := range b.Points {
		if p >= 0 { // else it was left out
			parts = append(parts, fmt.Sprintf("candidate %d: %d", c+1, p))
		}
	}
	return strings.Join(parts, ", ")
}
