package crossval_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"roundtable/analysis/crossval"
)

// The standard error of the gap closed is the spread that repeated samples show:
// two conditions on the same units, some goodness not defined.
func TestClosedSpreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var values, errors []float64
	for range 1500 {
		r := crossval.Closed(conditions(rng, 60))
		values, errors = append(values, r.Value), append(errors, *r.SE)
	}
	spread, said := stat.StdDev(values, nil), stat.Mean(errors, nil)
	if ratio := said / spread; ratio < 0.9 || ratio > 1.1 {
		t.Errorf("standard errors of %.4f, and the values spread by %.4f", said, spread)
	}
	if mean := stat.Mean(values, nil); math.Abs(mean-0.5) > 0.02 {
		t.Errorf("half of the gap is closed, and %.3f is said", mean)
	}
}

// conditions on n shared units, whose methods close half of the gap.
func conditions(rng *rand.Rand, n int) []crossval.Compared {
	both := make([]crossval.Compared, 2)
	for i := range n {
		luck := rng.NormFloat64() * 0.3
		for k := range both {
			base := rng.NormFloat64()*0.1 + luck
			oracle := base + 0.4 + 0.2*luck
			method := (base+oracle)/2 + rng.NormFloat64()*0.1 + 0.3*luck
			c := &both[k]
			c.Units = append(c.Units, string(rune('A'+i)))
			c.Base, c.Oracle = append(c.Base, &base), append(c.Oracle, &oracle)
			if rng.Float64() < 0.1 {
				c.Method = append(c.Method, nil)
			} else {
				c.Method = append(c.Method, &method)
			}
		}
	}
	return both
}
