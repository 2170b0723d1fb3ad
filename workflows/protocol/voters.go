package protocol

import (
	"slices"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// judge is asked for the one ballot of a rule that leaves the choice to somebody who is no agent.
var judge = transcript.Speaker{Role: "judge"}

// asksVotes reports whether the rule needs ballots that somebody is asked for. Under the
// others, what agents propose or answer is their vote.
func (s Setting) asksVotes() bool {
	m := decision.MeansOf(s.Rule)
	return m == decision.ByBallots || m == decision.ByJudge
}

// voters returns who is asked for a ballot among agents that take part: all, or the judge.
func (s Setting) voters(agents []int) []transcript.Speaker {
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

// judges are the roles that the rule brings to the table.
func (s Setting) judges() []string {
	if decision.MeansOf(s.Rule) == decision.ByJudge {
		return []string{judge.Role}
	}
	return nil
}

// agreed reports whether a decision ends the collaboration by itself: consensus is
// reached as soon as enough agents stand for the same.
func (s Setting) agreed(d transcript.Entry) bool {
	return decision.MeansOf(s.Rule) == decision.ByAgreement && d.Act.Decision.Selected >= 0
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

// made returns those of some entries that there are.
func made(entries []int) []int {
	return slices.DeleteFunc(slices.Clone(entries), func(i int) bool { return i < 0 })
}
