package protocol

import (
	"cmp"
	"slices"

	"roundtable/workflows/decision"
	"roundtable/workflows/seats"
	"roundtable/workflows/transcript"
)

// rangesRemembered returns what of a step's entries its agent still has in mind: what agents
// said in rounds that its seat has forgotten is left out, but not what it votes on.
func (s Setting) rangesRemembered(t *transcript.Transcript, step transcript.Step) []transcript.Range {
	if step.Kind != transcript.Ask || step.Speaker.Role != "" || step.Speaker.Index >= len(s.Seats) ||
		s.Seats[step.Speaker.Index].Memory == nil {
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
	return joinRanges(kept)
}

// Profile returns the ballots that a Decide step counts. An answer without a ballot is a vote for
// the candidate equal to it (debates count answers); any other turn without a ballot, or an
// invalid one, is an abstention.
func (s Setting) Profile(t *transcript.Transcript, step transcript.Step) decision.Profile {
	p := decision.Profile{Candidates: len(step.Payload.Candidates),
		Electorate: cmp.Or(step.Payload.Electorate, t.Agents), Round: step.Round}
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
			return transcript.Ballot{Choice: i, Weight: e.Act.Weight}
		}
	}
	return transcript.Ballot{Abstain: true}
}

// judge is asked for the one ballot of a rule that leaves the choice to a judge who is not an agent.
var judge = transcript.Speaker{Role: "judge"}

// asksVotes reports whether the rule needs ballots that agents or a judge are asked for. Under the
// others, what agents propose or answer is their vote.
func (s Setting) asksVotes() bool {
	m := decision.MeansOf(s.Rule)
	return m == decision.ByBallots || m == decision.ByJudge
}

// listVoters returns who is asked for a ballot among agents that take part: all, or the judge.
func (s Setting) listVoters(agents []int) []transcript.Speaker {
	if decision.MeansOf(s.Rule) == decision.ByJudge {
		return []transcript.Speaker{judge}
	}
	return speakersOf(agents)
}

// speakersOf returns agents as speakers.
func speakersOf(agents []int) []transcript.Speaker {
	all := make([]transcript.Speaker, len(agents))
	for k, i := range agents {
		all[k].Index = i
	}
	return all
}

// judgeRoles are the roles that the rule brings to the table.
func (s Setting) judgeRoles() []string {
	if decision.MeansOf(s.Rule) == decision.ByJudge {
		return []string{judge.Role}
	}
	return nil
}

// isAgreed reports whether a decision ends the collaboration by itself: consensus is
// reached as soon as enough agents stand for the same.
func (s Setting) isAgreed(t *transcript.Transcript, at int) bool {
	d := t.Entries[at]
	return at >= t.Earlier && decision.MeansOf(s.Rule) == decision.ByAgreement && d.Act.Decision.Selected >= 0
}

// latestProposals returns each agent's last usable proposal, by agent; -1 if it has made none.
func latestProposals(entries []transcript.Entry, agents int) []int {
	latest := slices.Repeat([]int{-1}, agents)
	for _, e := range entries {
		if e.Payload.Format == transcript.FormatProposal && e.Speaker.Role == "" && e.Act.Status == transcript.Said {
			latest[e.Speaker.Index] = e.Index
		}
	}
	return latest
}

// existingEntries returns those of some entries that there are.
func existingEntries(entries []int) []int {
	return slices.DeleteFunc(slices.Clone(entries), func(i int) bool { return i < 0 })
}
