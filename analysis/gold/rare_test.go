package gold_test

import (
	"math/rand/v2"
	"testing"

	"roundtable/analysis/gold"
)

// The interval of a rare act is conditional on its having been found often enough: where it is
// expected in 3 or 2 of the 60 drawn passages, those that are given hold the truth in 89 and 75 %
// instead of 95 %, for it is the draws with too many that have one. The guide on labels says so.
func TestIntervalsOfRareActsAreConditional(t *testing.T) {
	const times = 1000
	for _, x := range []struct{ expected, least, most float64 }{{3, .8, .95}, {2, .6, .9}} {
		draw := rand.New(rand.NewPCG(5, uint64(x.expected)))
		given, held := 0, 0
		for range times {
			var units []gold.ShareUnit
			truth := 0.
			for i, drawn := range draw.Perm(480) {
				shows, byHand := 0., draw.Float64() < x.expected/60
				if byHand {
					shows = 1
				}
				truth += shows / 480
				machine := shows
				if draw.Float64() < .14 {
					machine = 1 - shows
				}
				u := gold.ShareUnit{Cluster: i / 4, Machine: [2]float64{machine, 1}}
				if drawn < 60 {
					u.Gold = &[2]float64{shows, 1}
				}
				units = append(units, u)
			}
			if e, err := gold.EstimateShare(units); err == nil {
				given++
				if e.Low <= truth && truth <= e.High {
					held++
				}
			}
		}
		share := float64(held) / float64(given)
		t.Logf("expected in %v passages: %d of %d have an interval, which holds the truth in %.3f", x.expected, given, times, share)
		if share < x.least || share > x.most {
			t.Errorf("expected in %v passages: %.3f hold the truth, want %v to %v", x.expected, share, x.least, x.most)
		}
	}
}
