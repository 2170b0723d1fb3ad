package decision_test

import (
	"fmt"
	"math/big"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// veto is a rule of one's own: each agent strikes out one candidate, and what is struck out
// least is selected.
type veto struct{}

func (veto) Ballot(n, _ int) transcript.BallotSpec {
	return transcript.BallotSpec{Kind: transcript.Choose, N: n}
}

func (veto) Value(b transcript.Ballot, candidate, _ int) *big.Rat {
	if !b.Abstain && b.Choice == candidate {
		return big.NewRat(-1, 1)
	}
	return new(big.Rat)
}

func (v veto) Tally(p decision.Profile) decision.Result {
	var result decision.Result
	for candidate := range p.Candidates {
		score := new(big.Rat)
		for _, b := range p.Ballots {
			score.Add(score, v.Value(b, candidate, p.Candidates))
		}
		result.Scores = append(result.Scores, score)
		switch best := result.Winners; {
		case best == nil || score.Cmp(result.Scores[best[0]]) > 0:
			result.Winners = []int{candidate}
		case score.Cmp(result.Scores[best[0]]) == 0:
			result.Winners = append(result.Winners, candidate)
		}
	}
	return result
}

func (veto) Words() decision.Words {
	return decision.Words{
		Name:        "veto",
		Explanation: "Each agent strikes out one candidate. The candidate that is struck out least is selected.",
		Ballot:      `the candidate that you strike out, as "B"`,
	}
}

// Two of four agents strike out the first candidate, one the second, and one abstains.
// Package ruletest checks a rule of one's own; examples/own-rule adds one to the program.
func ExampleRule_own() {
	result := veto{}.Tally(decision.Profile{Candidates: 3, Electorate: 4, Ballots: []transcript.Ballot{
		{Choice: 0}, {Choice: 1}, {Choice: 0}, {Abstain: true},
	}})
	fmt.Println("winners:", result.Winners)
	// Output:
	// winners: [2]
}
