package metrics_test

import (
	"fmt"

	"roundtable/analysis/metrics"
)

// Total utility by round (paper 1): before the first decision it counts as 0.
func ExampleShares() {
	first, then := 0.6, 0.9
	run := metrics.Shares{nil, &first, &then}
	for round := 1; round <= 3; round++ {
		percent, _ := run.TotalUtility(round)
		fmt.Printf("round %d: %.0f %%\n", round, percent)
	}
	auc, _ := run.AUC(3)
	fmt.Printf("AUC %.0f %%\n", auc)
	// Output:
	// round 1: 0 %
	// round 2: 60 %
	// round 3: 90 %
	// AUC 50 %
}

// The agent that has least, beside the one that has most.
func ExampleFairness() {
	percent, ok := metrics.Fairness([]float64{8, 10, 16})
	fmt.Println(percent, ok)
	// Output:
	// 50 true
}
