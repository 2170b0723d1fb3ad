package protocol

import (
	"cmp"

	"roundtable/workflows/decision"
	"roundtable/workflows/seats"
	"roundtable/workflows/transcript"
)

// remembered returns what of a step's entries its agent still has in mind: what agents
// said in rounds that its seat has forgotten is left out, but not what it votes on.
func (s Setting) remembered(t *transcript.Transcript, step transcript.Step) []transcript.Range {
	if step.Kind != transcript.Ask || step.Speaker.Role != "" || step.Speaker.Index >= len(s.Seats) || s.Seats[step.Speaker.Index].Memory == nil {
		return step.Sees
	}
	needed := map[int]bool{step.Payload.Standing: true}
	for _, c := range step.Payload.Candidates {
		needed[c.Entry] = true
	}
	since := step.Round - *s.Seats[step.Speaker.Index].Memory
	var kept []int
	for _, r := range step.Sees {
		for _, e := range t.Entries[r.From:r.To] {
			if e.Speaker.Role != "" || e.Round >= since || needed[e.Index] {
				kept = append(kept, e.Index)
			}
		}
	}
	return ranges(kept)
}

// Profile returns the ballots that a Decide step counts. An answer without a ballot
// is a vote for the candidate that it is (debates count answers); any other
// turn without one, and one that was invalid, is an abstention.
func (s Setting) Profile(t *transcript.Transcript, step transcript.Step) decision.Profile {
	p := decision.Profile{Candidates: len(step.Payload.Candidates), Electorate: cmp.Or(step.Payload.Electorate, t.Agents), Round: step.Round}
	var by []int
	for _, r := range step.Payload.Ballots {
		for _, e := range t.Entries[r.From:r.To] {
			p.Ballots = append(p.Ballots, ballotOf(e, step.Payload.Candidates))
			agent := e.Speaker.Index
			if e.Speaker.Role != "" {
				agent = nobody
			}
			by = append(by, agent)
		}
	}
	return seats.Weigh(s.Seats, p, by, t.Agents)
}

// ballotOf returns the ballot of an entry, or the vote that it is.
func ballotOf(e transcript.Entry, candidates []transcript.Candidate) transcript.Ballot {
	if e.Act.Ballot != nil {
		return *e.Act.Ballot
	}
	for i, c := range candidates {
		if c.Key == e.Act.Key && e.Act.Status == transcript.Said {
			return transcript.Ballot{Choice: i}
		}
	}
	return transcript.Ballot{Abstain: true}
}
