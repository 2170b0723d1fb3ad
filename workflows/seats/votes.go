package seats

import (
	"fmt"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// Weight returns the number of votes of an agent: 1 if nothing is said of it, and of
// a speaker that is not an agent (-1).
func Weight(all []Seat, agent int) int {
	if agent < 0 || agent >= len(all) || all[agent].Votes == nil {
		return 1
	}
	return *all[agent].Votes
}

// VotesInWords returns "2 votes".
func VotesInWords(n int) string {
	switch n {
	case 0:
		return "no vote"
	case 1:
		return "1 vote"
	}
	return fmt.Sprintf("%d votes", n)
}

// Weigh counts each ballot as often as the agent that cast it has votes; by names
// the agents, in the order of the ballots. If all agents are the electorate, those
// who cast none are part of it with theirs.
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
