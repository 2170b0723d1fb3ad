package crossval_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"roundtable/analysis/crossval"
)

// By hand: 1/2 and 3/2 are 4/4; both are 1 off, so the standard error is
// √(2·(1 + 1)/1)/4. Of equal wholes it is that of a mean.
func TestShare(t *testing.T) {
	r := crossval.Share([]float64{1, 3}, []float64{2, 2}, []string{"a", "b"})
	if r.Value != 1 || !near(*r.SE, 0.5) || r.N != 2 {
		t.Errorf("got %+v ± %s, want 1 ± 0.5", r, show(r.SE))
	}
	parts := []float64{3, 1, 4, 1, 5}
	r = crossval.Share(parts, []float64{1, 1, 1, 1, 1}, []string{"a", "b", "c", "d", "e"})
	if mean, sd := stat.MeanStdDev(parts, nil); !near(r.Value, mean) || !near(*r.SE, sd/math.Sqrt(5)) {
		t.Errorf("got %+v ± %s, want %v ± %v", r, show(r.SE), mean, sd/math.Sqrt(5))
	}
	if r = crossval.Share([]float64{1, 3}, []float64{2, 2}, []string{"a", "a"}); r.SE != nil || r.N != 1 {
		t.Errorf("one unit has the standard error %s", show(r.SE))
	}
	if r = crossval.Share([]float64{0}, []float64{0}, []string{"a"}); r != nil {
		t.Errorf("nothing of nothing is %+v", r)
	}
}

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
