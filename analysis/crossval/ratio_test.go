package crossval_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"roundtable/analysis/crossval"
)

// The standard error of the gap closed is the spread that repeated samples show:
// two conditions on the same units, some score not defined.
func TestClosedSpreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var values, errors []float64
	for range 1500 {
		r := crossval.Closed(conditions(rng, 60))
		values, errors = append(values, *r.Share), append(errors, *r.SE)
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

func values(list ...any) []*float64 {
	var all []*float64
	for _, v := range list {
		if v, ok := v.(float64); ok {
			all = append(all, &v)
		} else {
			all = append(all, nil)
		}
	}
	return all
}

// A rule that stops before the hard items are decided is compared with the
// baseline and the Oracle on the items that it leaves decided, not on others.
func TestGapClosedIsOnTheSameItems(t *testing.T) {
	c := crossval.Closed([]crossval.Compared{{
		Units:  []string{"easy1", "easy2", "easy3", "hard1", "hard2"},
		Base:   values(-.4, -.5, -.6, -2.0, -3.0),
		Method: values(-.4, -.5, -.6, nil, nil), // gains nothing on any item
		Oracle: values(-.3, -.3, -.4, -1.0, -2.0),
	}})
	if c.N != 3 || c.Of != 5 || c.Unclear || *c.Share != 0 {
		t.Errorf("%+v, share %v; want 0 on 3 of 5", c, c.Share)
	}
}

// What the Oracle gains is here within its own error of nothing, so no share of it is given.
func TestNoShareOfAnUnclearGap(t *testing.T) {
	base := values(.5, .5, .5, .5, .5, .5, .5, .5)
	method := values(.4, .9, .5, .5, .5, .5, .2, .5)
	for oracle, unclear := range map[float64]bool{.5: true, .7: false} {
		c := crossval.Compared{Units: []string{"a", "b", "c", "d", "e", "f", "g", "h"}, Base: base, Method: method,
			Oracle: values(.9, oracle, oracle, oracle, oracle, oracle, oracle, oracle)}
		if got := crossval.Closed([]crossval.Compared{c}); got.Unclear != unclear || (got.Share == nil) != unclear || got.N != 8 {
			t.Errorf("an Oracle of .9 and seven times %v: %+v", oracle, got)
		}
	}
	if got := crossval.Closed(nil); got.Share != nil || got.Unclear || got.N != 0 {
		t.Errorf("without conditions: %+v", got)
	}
}

// The mean over environments is of their shares, as the paper averages them.
func TestMeanClosure(t *testing.T) {
	a, b := crossval.Closure{Share: new(.10), SE: new(.03), N: 50, Of: 50}, crossval.Closure{Share: new(.20), SE: new(.04), N: 40, Of: 60}
	if m := crossval.MeanClosure([]crossval.Closure{a, b}); math.Abs(*m.Share-.15) > 1e-12 || math.Abs(*m.SE-.025) > 1e-12 || m.N != 90 || m.Of != 110 {
		t.Errorf("%+v", m)
	}
	if m := crossval.MeanClosure([]crossval.Closure{a, {N: 5, Of: 5, Unclear: true}}); m.Share != nil || !m.Unclear {
		t.Errorf("one environment has no share: %+v", m)
	}
}
