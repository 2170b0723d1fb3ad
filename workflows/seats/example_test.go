package seats_test

import (
	"fmt"

	"roundtable/workflows/decision"
	"roundtable/workflows/seats"
	"roundtable/workflows/transcript"
)

// A ballot of an agent with three votes counts three times.
func ExampleWeigh() {
	three := 3
	all := []seats.Seat{{Role: "chair", Votes: &three}, {}, {}}
	p := decision.Profile{Candidates: 2, Electorate: 3, Ballots: []transcript.Ballot{{Choice: 0}, {Choice: 1}, {Choice: 1}}}
	weighed := seats.Weigh(all, p, []int{0, 1, 2}, 3)
	fmt.Println(len(weighed.Ballots), "votes of", weighed.Electorate)
	// Output:
	// 5 votes of 5
}
