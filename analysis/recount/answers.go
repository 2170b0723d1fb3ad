package recount

import (
	"cmp"
	"slices"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// tallyAnswers counts the answers of a debate since the last decision: each is
// a vote for itself, one that could not be read abstains, and candidates are by
// the first agent that gave them, in the order of agents.
func (c *count) tallyAnswers() (keys []string, winners []int) {
	slices.SortStableFunc(c.answers, func(a, b int) int { return cmp.Compare(c.speaker(a), c.speaker(b)) })
	profile := decision.Profile{Electorate: len(c.answers)}
	for _, entry := range c.answers {
		act := c.acts[entry]
		if act.Status != transcript.Said || act.Key == "" {
			profile.Ballots = append(profile.Ballots, transcript.Ballot{Abstain: true})
			continue
		}
		i := slices.Index(keys, act.Key)
		if i < 0 {
			i = len(keys)
			keys = append(keys, act.Key)
		}
		profile.Ballots = append(profile.Ballots, transcript.Ballot{Choice: i})
	}
	if profile.Candidates = len(keys); profile.Candidates == 0 {
		return nil, nil
	}
	return keys, c.Rule.Tally(profile).Winners
}

// speaker returns the index of the agent of an entry; -1 if the row names none.
func (c *count) speaker(entry int) int32 {
	if agent := c.rows.Turns[entry].Agent; agent != nil {
		return *agent
	}
	return -1
}
