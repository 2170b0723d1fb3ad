package numeric

import (
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// interval is from Low to High.
type interval struct{ Low, High float64 }

// Variance returns the variance of values (with n−1) and its 95 % interval, (n−1)s²/χ², which holds for normal
// values. It is undefined for fewer than two values.
func Variance(values []float64) (variance float64, within interval, ok bool) {
	n := float64(len(values))
	if n < 2 {
		return 0, interval{}, false
	}
	variance = stat.Variance(values, nil)
	chi := distuv.ChiSquared{K: n - 1}
	return variance, interval{(n - 1) * variance / chi.Quantile(0.975), (n - 1) * variance / chi.Quantile(0.025)}, true
}
