package statistics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// How often 95 % intervals of 15 values hold the mean that these were drawn
// with; docs/guides/stopping.md quotes it. Student's covers what it says for differences
// of pairs, whatever their tails, and the BCa bootstrap less.
func TestCoverage(t *testing.T) {
	lognormal := func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) }
	for name, x := range map[string]struct {
		of           func(r *rand.Rand) float64
		mean         float64
		student, bca float64
	}{
		"normal differences":    {(*rand.Rand).NormFloat64, 0, .95, .91},
		"lognormal differences": {func(r *rand.Rand) float64 { return lognormal(r) - lognormal(r) }, 0, .97, .85},
		"lognormal values":      {lognormal, math.Exp(.5), .85, .84},
	} {
		const n, samples, times = 15, 2000, 400
		draw := rand.New(rand.NewPCG(1, 2))
		var student, bca float64
		for seed := range uint64(samples) {
			values := make([]float64, n)
			for i := range values {
				values[i] = x.of(draw)
			}
			test, err := Paired(values)
			if err != nil {
				t.Fatal(err)
			}
			boot, err := Bootstrap(n, Mean(values), times, seed)
			if err != nil {
				t.Fatal(err)
			}
			student += holds(test.CI, x.mean) / samples
			bca += holds(boot.BCa, x.mean) / samples
		}
		if math.Abs(student-x.student) > .02 || math.Abs(bca-x.bca) > .02 {
			t.Errorf("%s: Student's interval holds the mean in %.3f, the BCa interval in %.3f; quoted are %v and %v", name, student, bca, x.student, x.bca)
		}
	}
}

func holds(i Interval, v float64) float64 {
	if i.Low <= v && v <= i.High {
		return 1
	}
	return 0
}
