package decision

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"

	"roundtable/workflows/transcript"
)

// CumulativeParams say how many points an agent has.
type CumulativeParams struct {
	// Points of each agent; by default one per candidate, as paper 1's prompt tells the agents
	// (figure 15); its formal definition (appendix C) has one per agent.
	Points Points `json:"points"`
	// Fewer lets agents give fewer points than they have, as in paper 2 (appendix C.1).
	Fewer bool `json:"fewer,omitempty"`
}

// DefaultCumulative25 returns paper 2's parameters: up to 25 points. The code of its authors has
// 10, all of which must be given.
func DefaultCumulative25() CumulativeParams { return CumulativeParams{Points: 25, Fewer: true} }

// Points is a fixed number of points, or one of PerCandidate and PerAgent. In JSON it is a whole
// number from 1 to 10000, "candidates" or "agents".
type Points int

// Values of Points that depend on the vote: as many as there are candidates, or agents.
const (
	PerCandidate Points = 0
	PerAgent     Points = -1
)

const mostPoints = 10_000

// String returns "candidates", "agents" or the number.
func (p Points) String() string {
	switch p {
	case PerCandidate:
		return "candidates"
	case PerAgent:
		return "agents"
	}
	return strconv.Itoa(int(p))
}

func (p Points) check() error {
	if p < PerAgent || p > mostPoints {
		return pointsError(p.String())
	}
	return nil
}

func pointsError(given string) error {
	return fmt.Errorf("points is %s; expected candidates, agents or a whole number from 1 to %d", given, mostPoints)
}

// MarshalJSON writes the form that UnmarshalJSON reads.
func (p Points) MarshalJSON() ([]byte, error) {
	if p == PerCandidate || p == PerAgent {
		return json.Marshal(p.String())
	}
	return json.Marshal(int(p))
}

// UnmarshalJSON accepts a name or a number.
func (p *Points) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case `"candidates"`:
		*p = PerCandidate
		return nil
	case `"agents"`:
		*p = PerAgent
		return nil
	}
	n, err := strconv.Atoi(string(data))
	if err != nil || n < 1 || n > mostPoints {
		return pointsError(string(data))
	}
	*p = Points(n)
	return nil
}

type cumulative struct{ params CumulativeParams }

// NewCumulative lets each agent distribute the same number of points and
// selects the candidate with the most (paper 1 §3, appendix C).
func NewCumulative(p CumulativeParams) (Rule, error) {
	if err := p.Points.check(); err != nil {
		return nil, err
	}
	return cumulative{p}, nil
}

func (c cumulative) Ballot(n, electorate int) transcript.BallotSpec {
	budget := int(c.params.Points)
	switch c.params.Points {
	case PerCandidate:
		budget = n
	case PerAgent:
		budget = electorate
	}
	return transcript.BallotSpec{Kind: transcript.Distribute, N: n, Points: budget, Partial: c.params.Fewer}
}

func (cumulative) Value(b transcript.Ballot, candidate, _ int) *big.Rat {
	return pointsFor(b, candidate)
}

func (c cumulative) Tally(p Profile) Result {
	return selectHighest(p, c.Value)
}

func (c cumulative) Words() Words {
	budget, with, sum := fmt.Sprintf("%d points", c.params.Points), "three candidates", int(c.params.Points)
	switch c.params.Points {
	case PerCandidate:
		budget, sum = "as many points as there are candidates", 3
	case PerAgent:
		budget, with, sum = "as many points as there are agents", "three candidates and four agents", 4
	}
	exactly := "exactly"
	if c.params.Fewer {
		exactly = "at most"
	}
	return Words{
		Name: "cumulative voting",
		Explanation: fmt.Sprintf("Each agent has %s to distribute among the candidates as it likes. "+
			"The candidate that gets the most points in all is selected.", budget),
		Ballot: fmt.Sprintf("an object with the number of every candidate and the number of points that you give it, "+
			"a whole number of 0 or more; "+
			"you must give away %s %s. Example with %s: {\"1\": %d, \"2\": %d, \"3\": 0}",
			exactly, budget, with, sum-sum/3, sum/3),
	}
}
