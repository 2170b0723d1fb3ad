package forks

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Cell is one beginning with the outcomes of its continuations.
type Cell struct {
	Unit    int32     // that it belongs to
	AsItWas []float64 // outcomes of the original, and of unchanged continuations
	Changed []float64 // outcomes of continuations with the change
}

// Difference returns the mean of Changed minus the mean of AsItWas; false if one of them is empty.
func (c Cell) Difference() (float64, bool) {
	if len(c.AsItWas) == 0 || len(c.Changed) == 0 {
		return 0, false
	}
	return stat.Mean(c.Changed, nil) - stat.Mean(c.AsItWas, nil), true
}

// EffectsOf returns, by unit in ascending order, the mean of Difference over the unit's cells that have one:
// an estimate of E[outcome | do(change), beginning] − E[outcome | unchanged, beginning].
func EffectsOf(cells []Cell) []float64 {
	by := map[int32][]float64{}
	for _, c := range cells {
		if d, ok := c.Difference(); ok {
			by[c.Unit] = append(by[c.Unit], d)
		}
	}
	return meansOf(by)
}

// Chance returns the standard deviation of outcomes continued in one way from one beginning, pooled over
// groups; each group holds the outcomes of one beginning. It is nil if no group has two.
func Chance(groups [][]float64) *float64 {
	sum, dof := 0.0, 0
	for _, outcomes := range groups {
		m := stat.Mean(outcomes, nil)
		for _, y := range outcomes {
			sum += (y - m) * (y - m)
		}
		dof += max(len(outcomes)-1, 0)
	}
	if dof == 0 {
		return nil
	}
	return new(math.Sqrt(sum / float64(dof)))
}

// meansOf returns the mean of each list, in the order of keys.
func meansOf[K cmp.Ordered](by map[K][]float64) []float64 {
	var all []float64
	for _, k := range slices.Sorted(maps.Keys(by)) {
		all = append(all, stat.Mean(by[k], nil))
	}
	return all
}
