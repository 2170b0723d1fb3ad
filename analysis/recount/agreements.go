package recount

import (
	"encoding/json"
	"maps"
	"slices"

	"roundtable/analysis/lake/record"
	"roundtable/workflows/decision"
	"roundtable/workflows/seats"
	"roundtable/workflows/transcript"
)

// phaseSettle is where a discussion by agreement takes its final answer, which
// nobody votes on.
const phaseSettle = "settle"

// isAgreement says that a message of a discussion votes for the draft that it has seen last.
func (c *count) isAgreement(entry int) bool {
	b := c.acts[entry].Ballot
	return b != nil && !b.Abstain
}

// draftOf returns the message that holds what a message stands for: itself, or what
// the last usable message stands for that its speaker was shown.
func (c *count) draftOf(entry int) int {
	if !c.isAgreement(entry) {
		return entry
	}
	var shown [][2]int
	if json.Unmarshal([]byte(c.rows.Turns[entry].SeesJSON), &shown) != nil {
		return entry
	}
	last := -1
	for _, r := range shown {
		for i := max(0, r[0]); i < min(r[1], entry); i++ {
			if c.isTalk(i) {
				last = i
			}
		}
	}
	if last < 0 {
		return entry
	}
	return c.draftOf(last)
}

// isTalk says that an entry is an agent's usable message in a discussion.
func (c *count) isTalk(entry int) bool {
	return isReply(c.rows.Turns[entry]) && c.acts[entry].Status == transcript.Said
}

// isReply says that an entry is an agent's message in a discussion, which may agree with a draft.
func isReply(t record.Turn) bool { return t.Format == string(transcript.FormatReply) && t.Agent != nil }

// tallyAgreements counts who stands for the draft of the last message before an
// entry: its author, and all whose latest message agrees with it.
func (c *count) tallyAgreements(entry, round int) (keys []string, winners []int) {
	latest, draft := map[int32]int{}, -1
	for i, t := range c.rows.Turns[:entry] {
		if !isReply(t) {
			continue
		}
		delete(latest, *t.Agent)
		if c.isTalk(i) {
			latest[*t.Agent] = c.draftOf(i)
			draft = latest[*t.Agent]
		}
	}
	if draft < 0 {
		return nil, nil
	}
	profile := decision.Profile{Candidates: 1, Electorate: int(c.rows.Collaborations[0].Agents), Round: round}
	by := slices.Sorted(maps.Keys(latest))
	by = slices.DeleteFunc(by, func(agent int32) bool { return latest[agent] != draft })
	profile.Ballots = make([]transcript.Ballot, len(by)) // each for the one candidate
	agents := make([]int, len(by))
	for i, agent := range by {
		agents[i] = int(agent)
	}
	profile = seats.Weigh(c.Seats, profile, agents, profile.Electorate)
	return []string{c.acts[draft].Key}, c.Rule.Tally(profile).Winners
}

// isFirstUnread reports whether the earliest agent's final answer, which was voted on, could not be read.
func (c *count) isFirstUnread() bool {
	return len(c.votes) > 0 && len(c.answers) > 0 && c.acts[c.answers[0]].Status == transcript.Invalid
}

// firstSolution returns the solution that is taken if no count selects one: the earliest
// agent's final answer, or what its latest message stands for.
func (c *count) firstSolution(entry int) (string, bool) {
	for _, i := range c.answers {
		if act := c.acts[i]; act.Status == transcript.Said && act.Key != "" {
			return act.Key, true
		}
	}
	by := make([]string, c.rows.Collaborations[0].Agents)
	for i, t := range c.rows.Turns[:entry] {
		if c.isTalk(i) && len(c.answers) == 0 {
			if by[*t.Agent] = c.acts[c.draftOf(i)].Key; by[*t.Agent] == "" {
				by[*t.Agent] = c.acts[i].Key
			}
		}
	}
	for _, key := range by {
		if key != "" {
			return key, true
		}
	}
	return "", false
}
