package statistics

import (
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// Design is how two conditions are compared by Student's test, two-sided.
type Design struct {
	Paired bool
	Alpha  float64 // level of one test; a family of m by Bonferroni has level/m
}

// Power returns the power to find a standardised effect (the difference of means over the standard deviation,
// of differences if paired) with n pairs, or n units in each condition.
func (d Design) Power(effect, n float64) float64 {
	dof, shift := n-1, effect*math.Sqrt(n)
	if !d.Paired {
		dof, shift = 2*(n-1), effect*math.Sqrt(n/2)
	}
	critical := QuantileT(1-d.Alpha/2, dof)
	return 1 - noncentralT(critical, dof, shift) + noncentralT(-critical, dof, shift)
}

// Size returns the n, not rounded up, that finds a standardised effect with the given power.
func (d Design) Size(effect, power float64) (float64, error) {
	if err := d.check(power); err != nil {
		return 0, err
	}
	effect = math.Abs(effect)
	if !(effect > 0) || math.IsInf(effect, 0) {
		return 0, fmt.Errorf("no number of collaborations finds an effect of %v", effect)
	}
	top := 4.0
	for d.Power(effect, top) < power {
		if top *= 2; top > 1e12 {
			return 0, fmt.Errorf("an effect of %v needs more than 10¹² collaborations", effect)
		}
	}
	if d.Power(effect, 2) >= power {
		return 2, nil // the fewest that have a spread
	}
	return bisectFor(2, top, func(n float64) bool { return d.Power(effect, n) >= power }), nil
}

// Detectable returns the smallest standardised effect that n pairs, or n units in each condition, find with
// the given power.
func (d Design) Detectable(n, power float64) (float64, error) {
	if err := d.check(power); err != nil {
		return 0, err
	}
	if !(n >= 2) {
		return 0, fmt.Errorf("%v collaborations find nothing; at least 2 are needed", n)
	}
	top := 1.0
	for d.Power(top, n) < power {
		top *= 2
	}
	return bisectFor(0, top, func(effect float64) bool { return d.Power(effect, n) >= power }), nil
}

func (d Design) check(power float64) error {
	if !(d.Alpha > 0 && d.Alpha < 1) || !(power > d.Alpha && power < 1) {
		return fmt.Errorf("level %v and power %v; the level is between 0 and 1, and the power between the level and 1",
			d.Alpha, power)
	}
	return nil
}

// bisectFor finds where a condition that holds at high and not at low begins to.
func bisectFor(low, high float64, holds func(float64) bool) float64 {
	for high-low > 1e-13*high {
		mid := low + (high-low)/2
		if holds(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// noncentralT returns the distribution function of (Z+shift)/s, Z normal, s² a χ² over
// its degrees of freedom, by integration over s.
func noncentralT(t, dof, shift float64) float64 {
	lg, _ := math.Lgamma(dof / 2)
	constant := math.Ln2 + dof/2*math.Log(dof/2) - lg
	spread := 10 / math.Sqrt(2*dof)
	q, low, high, sum := legendre(), max(0, 1-spread), 1+spread, 0.0
	for i, at := range q.at {
		s := low + (high-low)*at
		density := math.Exp(constant + (dof-1)*math.Log(s) - dof*s*s/2)
		sum += q.weight[i] * density * distuv.UnitNormal.CDF(t*s-shift)
	}
	return (high - low) * sum
}

// legendre has the nodes and weights of the quadrature on [0, 1].
var legendre = sync.OnceValue(func() (q struct{ at, weight [120]float64 }) {
	quad.Legendre{}.FixedLocations(q.at[:], q.weight[:], 0, 1)
	return q
})
