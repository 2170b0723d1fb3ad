package lake_test

import (
	"context"
	"fmt"
	"log"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// A lake that an earlier run has left is read collaboration by collaboration:
// the latest generation of each, whether its rows are compacted or not.
func ExampleCollaborations() {
	ctx := context.Background()
	s, err := store.NewLocal("testdata/schema-1")
	if err != nil {
		log.Fatal(err)
	}
	d, err := lake.ReadDataset(ctx, s, "golden")
	if err != nil {
		log.Fatal(err)
	}
	for rows, err := range lake.Collaborations(ctx, s, d) {
		if err != nil {
			log.Fatal(err)
		}
		c := rows.Collaborations[0]
		fmt.Printf("%s under %s: %d turns, %d ballots\n", c.Status, c.Rule, len(rows.Turns), len(rows.Ballots))
	}
	// Output:
	// succeeded under plurality: 20 turns, 17 ballots
	// succeeded under plurality: 20 turns, 11 ballots
	// succeeded under ranked: 20 turns, 19 ballots
	// succeeded under ranked: 20 turns, 14 ballots
}
