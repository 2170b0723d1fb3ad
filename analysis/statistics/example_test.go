package statistics_test

import (
	"fmt"

	"roundtable/analysis/statistics"
)

// A mean comes with its 95 % interval; values without spread have none.
func ExampleMeanInterval() {
	mean, within := statistics.MeanInterval([]float64{0.2, 0.4, 0.6, 0.8})
	fmt.Printf("%.2f, %.3f to %.3f\n", mean, within.Low, within.High)
	mean, within = statistics.MeanInterval([]float64{1, 1, 1, 1})
	fmt.Println(mean, within)
	// Output:
	// 0.50, 0.089 to 0.911
	// 1 <nil>
}

// The same instances under two conditions are compared in pairs.
func ExampleSignFlip() {
	d, err := statistics.Differences([]float64{1, 1, 1, 0, 1, 1}, []float64{0, 0, 1, 0, 0, 0})
	if err != nil {
		panic(err)
	}
	p, err := statistics.SignFlip(d, 9999, 1)
	fmt.Println(d, p, err)
	// Output:
	// [1 1 0 0 1 1] 0.125 <nil>
}

// Of three comparisons, corrected for their number, the first is significant at 0.05.
func ExampleHolm() {
	fmt.Println(statistics.Holm([]float64{0.01, 0.04, 0.03}))
	// Output:
	// [0.03 0.06 0.06] <nil>
}

// Eleven voters who are right two times in three, if their errors are independent.
func ExampleCondorcet() {
	fmt.Printf("%.3f\n", statistics.Condorcet(2.0/3, 11))
	fmt.Printf("%.1f votes in effect if errors correlate by 0.5\n", statistics.EffectiveVotes(11, 0.5))
	// Output:
	// 0.878
	// 1.8 votes in effect if errors correlate by 0.5
}

// Total utility by round (paper 1): before the first decision it counts as 0.
func ExampleShares() {
	first, then := 0.6, 0.9
	run := statistics.Shares{nil, &first, &then}
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
	percent, ok := statistics.Fairness([]float64{8, 10, 16})
	fmt.Println(percent, ok)
	// Output:
	// 50 true
}
