package retally_test

import (
	"fmt"

	"roundtable/analysis/retally"
	"roundtable/workflows/transcript"
)

// Rankings tell a plurality what is first, and do not tell a rating how good it is.
func ExampleConvert() {
	ranking := transcript.BallotSpec{Kind: transcript.Rank, N: 3}
	_, err := retally.Convert(ranking, transcript.BallotSpec{Kind: transcript.Choose, N: 3}, retally.Options{})
	fmt.Println("a choice:", err)
	_, err = retally.Convert(ranking, transcript.BallotSpec{Kind: transcript.Rate, N: 3, Min: 1, Max: 5}, retally.Options{})
	fmt.Println("a rating:", err)
	// Output:
	// a choice: <nil>
	// a rating: rankings do not say ratings from 1 to 5
}
