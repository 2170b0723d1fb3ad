package recount

import (
	"cmp"
	"maps"
	"slices"

	"roundtable/analysis/lake/record"
	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// tallyAnswers counts the answers of a debate since the last decision: each is
// a vote for itself, one that could not be read abstains, and candidates are by
// the first agent that gave them, in the order of agents.
func (c *count) tallyAnswers(t record.Turn) (keys []string, winners []int) {
	slices.SortStableFunc(c.answers, func(a, b int) int { return cmp.Compare(c.speakerOf(a), c.speakerOf(b)) })
	return c.tallySelves(t, c.answers, decision.Profile{Electorate: len(c.answers), Round: int(t.Round)})
}

// tallyProposals counts agents' latest proposals before an entry, each a vote for itself.
func (c *count) tallyProposals(decide record.Turn) (keys []string, winners []int) {
	latest := map[int32]int{}
	for i, t := range c.rows.Turns[:decide.Entry] {
		if t.Format == string(transcript.FormatProposal) && t.Agent != nil && c.acts[i].Status == transcript.Said {
			latest[*t.Agent] = i
		}
	}
	votes := slices.SortedFunc(maps.Values(latest),
		func(a, b int) int { return cmp.Compare(c.speakerOf(a), c.speakerOf(b)) })
	return c.tallySelves(decide, votes, decision.Profile{Electorate: int(c.rows.Collaborations[0].Agents),
		Round: int(decide.Round)})
}

// countsProposals says that nobody is asked for a ballot where agents make proposals.
func (c *count) countsProposals() bool {
	m := decision.MeansOf(c.Rule)
	return m == decision.ByAgreement || m == decision.ByAnswers
}

// tallySelves counts entries that are votes for themselves.
func (c *count) tallySelves(t record.Turn, votes []int, profile decision.Profile) (keys []string, winners []int) {
	for _, entry := range votes {
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
		profile.Ballots = append(profile.Ballots, transcript.Ballot{Choice: i, Weight: act.Weight})
	}
	if profile.Candidates = len(keys); profile.Candidates == 0 {
		return nil, nil
	}
	return keys, c.tallyVote(t, keys, profile, votes).Winners
}

// speakerOf returns the index of the agent of an entry; -1 if the row names none.
func (c *count) speakerOf(entry int) int32 {
	if agent := c.rows.Turns[entry].Agent; agent != nil {
		return *agent
	}
	return -1
}
