// Package statistics computes on plain numbers: the statistics of runs that the papers' tables report, where
// an undefined value comes with ok = false and is left out, with the n that remains; and comparisons of
// conditions: tests, intervals, corrections for multiple comparisons, and sample sizes. What cannot be
// computed is an error that says why; no result holds a NaN.
package statistics

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// TwoSidedT returns the two-sided p-value of t under Student's distribution with dof degrees of freedom.
func TwoSidedT(t, dof float64) float64 {
	if math.IsInf(t, 0) {
		return 0
	}
	return mathext.RegIncBeta(dof/2, 0.5, dof/(dof+t*t)) // one minus a distribution function loses the small ones
}

// twoSidedZ returns the two-sided p-value of a standard normal.
func twoSidedZ(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }

// QuantileT returns the p-quantile of Student's t distribution with dof degrees of freedom.
func QuantileT(p, dof float64) float64 { return distuv.StudentsT{Sigma: 1, Nu: dof}.Quantile(p) }

// Quantile returns the p-quantile of sorted values, interpolated linearly between order statistics (type 7 of
// Hyndman and Fan 1996, the default of R and numpy).
func Quantile(sorted []float64, p float64) float64 {
	h := p * float64(len(sorted)-1)
	low := int(math.Floor(h))
	if low >= len(sorted)-1 {
		return sorted[len(sorted)-1]
	}
	return sorted[low] + (h-float64(low))*(sorted[low+1]-sorted[low])
}

// Interval is a confidence interval with its level, such as 0.95.
type Interval struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level float64 `json:"level"`
}

// checkFinite says which difference is none that can be computed with.
func checkFinite(differences []float64) error {
	if i := slices.IndexFunc(differences, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }); i >= 0 {
		return fmt.Errorf("differences: value %d is %v; only finite numbers can be compared", i+1, differences[i])
	}
	return nil
}

// rounding is what two sums of the same terms may differ by, of values up to 1;
// of greater ones it is in proportion.
const rounding = 1e-9

// evenOut returns values of which those that differ only by rounding are equal:
// taken by size without their signs, each within rounding of 0, or of the
// smallest of its like, becomes that one. Otherwise equal gains would have a
// spread of 1e-17, and any test would take it for certainty.
func evenOut(x []float64) []float64 {
	if checkFinite(x) != nil {
		return x
	}
	order := make([]int, len(x))
	tolerance := rounding
	for i, v := range x {
		order[i], tolerance = i, max(tolerance, rounding*math.Abs(v))
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(x[i]), math.Abs(x[j])) })
	all, base := make([]float64, len(x)), 0.0
	for _, i := range order {
		if v := math.Abs(x[i]); v-base > tolerance {
			base = v
		}
		if base != 0 {
			all[i] = math.Copysign(base, x[i])
		}
	}
	return all
}

// meanSE returns the mean and its standard error, exactly 0 if all values are equal.
func meanSE(x []float64) (mean, se float64) {
	if len(x) > 1 && slices.Min(x) == slices.Max(x) {
		return x[0], 0
	}
	mean, sd := stat.MeanStdDev(x, nil)
	return mean, sd / math.Sqrt(float64(len(x)))
}
