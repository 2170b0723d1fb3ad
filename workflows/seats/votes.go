package seats

import (
	"fmt"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// Weight returns the number of votes of an agent; 1 if its seat does not say, and for a speaker
// that is not an agent (-1).
func Weight(all []Seat, agent int) int {
	if agent < 0 || agent >= len(all) || all[agent].Votes == nil {
		return 1
	}
	return *all[agent].Votes
}

// VotesInWords returns "no vote", "1 vote", "2 votes".
func VotesInWords(n int) string {
	switch n {
	case 0:
		return "no vote"
	case 1:
		return "1 vote"
	}
	return fmt.Sprintf("%d votes", n)
}

// Weigh returns p with each ballot repeated as often as its agent has votes, and the electorate
// counted in votes. by are the agents of the ballots, in order. If the electorate is all agents,
// the votes of those who cast no ballot count, too.
func Weigh(all []Seat, p decision.Profile, by []int, agents int) decision.Profile {
	if len(all) == 0 {
		return p
	}
	everyone := p.Electorate == agents
	p.Electorate = 0
	var ballots []transcript.Ballot
	for i, b := range p.Ballots {
		for range Weight(all, by[i]) {
			ballots = append(ballots, b)
		}
		p.Electorate += Weight(all, by[i])
	}
	p.Ballots = ballots
	if everyone {
		p.Electorate = 0
		for agent := range agents {
			p.Electorate += Weight(all, agent)
		}
	}
	return p
}
