package statistics_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"roundtable/analysis/statistics"
)

// The limit is too low in at most delta of the samples, and not far less often than
// that where there are many values.
func TestUpperTolerance(t *testing.T) {
	const alpha, delta = 0.1, 0.1
	rng := rand.New(rand.NewPCG(3, 4))
	for n, least := range map[int]float64{22: 0.06, 50: 0.02, 200: 0.06} {
		low := 0
		const samples = 4000
		for range samples {
			sample := make([]float64, n)
			for i := range sample {
				sample[i] = rng.Float64()
			}
			limit, err := statistics.UpperTolerance(sample, alpha, delta)
			if err != nil {
				t.Fatal(err)
			}
			if 1-limit > alpha { // the chance that a further value exceeds it
				low++
			}
		}
		if share := float64(low) / samples; share > delta+0.015 || share < least {
			t.Errorf("%d values: the limit is too low in %.3f of the samples, want at most %v", n, share, delta)
		}
	}
	if _, err := statistics.UpperTolerance(make([]float64, 21), alpha, delta); err == nil || !strings.Contains(err.Error(), "22 are needed") {
		t.Errorf("21 values: %v", err)
	}
}
