package prompt

import (
	"slices"

	"roundtable/workflows/transcript"
)

// Decision is what an agent decided about others' plans.
type Decision struct {
	Accepted    *Candidate // nil if it accepted none
	Refused     []Candidate
	Explanation string
}

// note adds what an agent alone knows of. An estimate replaces what tools said of another.
func (v *View) note(e transcript.Entry, text string) {
	n := Note{Phase: e.Phase, Round: e.Round, Text: text}
	v.Notes = append(v.Notes, n)
	if e.Payload.Format == transcript.FormatEstimate {
		v.Estimate, v.Tools = text, nil
	} else {
		v.Tools = append(v.Tools, n)
	}
}

// decisionIn returns what an agent decided in an entry.
func (s Source) decisionIn(e transcript.Entry) *Decision {
	d := Decision{Refused: s.candidatesShown(e.Payload.Candidates), Explanation: s.explanationIn(e.Index)}
	if b := e.Act.Ballot; b != nil && !b.Abstain && b.Choice < len(d.Refused) {
		accepted := d.Refused[b.Choice]
		d.Accepted, d.Refused = &accepted, slices.Delete(d.Refused, b.Choice, b.Choice+1)
	}
	return &d
}

// explanationIn returns what an agent told of its plan or decision in an entry.
func (s Source) explanationIn(entry int) string {
	said := s.Said(entry)
	if !s.Transcript.Entries[entry].Payload.Reasoned || said.Text == string(said.Proposal) {
		return ""
	}
	return said.Text
}

// reasonIn returns why an agent did what it did in an entry, if reasons are shown.
func (s Source) reasonIn(entry int) string {
	if s.Protocol.Traits().Reasons {
		return s.Said(entry).Reason
	}
	return ""
}
