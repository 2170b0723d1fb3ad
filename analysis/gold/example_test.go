package gold_test

import (
	"fmt"

	"roundtable/analysis/gold"
)

// A model labels 200 messages of 20 talks, and people some of them: where both did, the model
// says yes too often, so the share is gold.
func ExampleEstimateShare() {
	var units []gold.ShareUnit
	yes := func(is bool) [2]float64 {
		if is {
			return [2]float64{1, 1}
		}
		return [2]float64{0, 1}
	}
	for i := range 200 {
		u := gold.ShareUnit{Cluster: i % 20, Machine: yes(i%7 < 4)}
		if i%5 < 1 || i%20 == 3 && i < 100 {
			people := yes(i%7 < 3)
			u.Gold = &people
		}
		units = append(units, u)
	}
	e, err := gold.EstimateShare(units)
	fmt.Printf("%.2f (%.2f to %.2f) of %d labelled by people, %v\n", e.Value, e.Low, e.High, e.Drawn, err)
	// Output:
	// 0.43 (0.34 to 0.52) of 45 labelled by people, <nil>
}
