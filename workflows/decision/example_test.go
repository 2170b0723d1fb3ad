package decision_test

import (
	"fmt"

	"roundtable/workflows/decision"
	"roundtable/workflows/transcript"
)

// Three agents rank three candidates. Under Copeland's rule the candidate that
// wins the most comparisons of two is selected.
func ExampleRule() {
	rule, err := decision.NewCopeland(decision.CopelandParams{})
	if err != nil {
		panic(err)
	}
	profile := decision.Profile{Candidates: 3, Electorate: 3, Ballots: []transcript.Ballot{
		{Order: []int{0, 1, 2}}, {Order: []int{1, 0, 2}}, {Order: []int{1, 2, 0}},
	}}
	result := rule.Tally(profile)
	fmt.Println("winners:", result.Winners)
	for candidate, score := range result.Scores {
		fmt.Println("candidate", candidate, "has", score.RatString())
	}
	// Output:
	// winners: [1]
	// candidate 0 has 1
	// candidate 1 has 2
	// candidate 2 has 0
}
