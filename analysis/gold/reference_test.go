package gold_test

import (
	"math"
	"testing"

	"roundtable/analysis/gold"
)

// congruential is a generator that is repeated in a few lines of any language.
type congruential uint64

func (c *congruential) next() float64 {
	*c = (*c*1103515245 + 12345) % (1 << 31)
	return float64(*c) / (1 << 31)
}

// TestReference compares with ppi-python 0.2.3 on the same 2,000 labels, of which the first 200
// have gold: its tuned mean and its tuned regression on what is known. It takes the two parts as
// independent samples, so the figures agree to a few hundredths of a standard error.
//
//	ppi_mean_pointestimate(Y, F, f), ppi_mean_ci: 0.28428034, half width / 1.96 0.02554779
//	ppi_ols_pointestimate(X[:200], Y, F, X, f): 0.22762318, 0.13415888; 0.04599549, 0.09131912
func TestReference(t *testing.T) {
	seed := congruential(12345)
	units, shares := make([]gold.Unit, 2000), make([]gold.ShareUnit, 2000)
	for i := range units {
		y, wrong := 0.0, 0.1
		if seed.next() < 0.3 {
			y, wrong = 1, 0.2
		}
		f := y
		if seed.next() < wrong {
			f = 1 - y
		}
		x := []float64{1, float64(i%7) / 7}
		units[i].Cluster, shares[i].Cluster, shares[i].Machine = i, i, [2]float64{f, 1}
		units[i].Machine.AddRow(x, f, 1)
		if i < 200 {
			shares[i].Gold, units[i].Gold = &[2]float64{y, 1}, &gold.Moments{}
			units[i].Gold.AddRow(x, y, 1)
		}
	}
	mean, err := gold.EstimateShare(shares)
	if err != nil {
		t.Fatal(err)
	}
	slopes, err := gold.Solve(units)
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		got       gold.Estimate
		value, se float64
	}{
		"mean":      {mean, 0.28428034, 0.02554779},
		"intercept": {slopes[0], 0.22762318, 0.04599549},
		"slope":     {slopes[1], 0.13415888, 0.09131912},
	} {
		if math.Abs(c.got.Value-c.value) > 0.06*c.se || math.Abs(c.got.SE/c.se-1) > 0.04 {
			t.Errorf("%s: %.5f (%.5f), want %.5f (%.5f)", what, c.got.Value, c.got.SE, c.value, c.se)
		}
	}
}
