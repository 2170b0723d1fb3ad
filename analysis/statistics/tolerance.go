package statistics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// UpperTolerance returns a limit that a new value from the sample's distribution exceeds with probability at
// most alpha; this holds for all but a share delta of samples, for any distribution (Wilks 1941). The limit is
// one of the sample's values; the error says how many values are needed.
func UpperTolerance(sample []float64, alpha, delta float64) (float64, error) {
	sorted := slices.Sorted(slices.Values(sample))
	n := len(sorted)
	// The k-th greatest value is too low a limit if fewer than k of n values lie in the
	// upper alpha of the distribution.
	k := 0
	for k < n && (distuv.Binomial{N: float64(n), P: alpha}).CDF(float64(k)) <= delta {
		k++
	}
	if k == 0 {
		return 0, fmt.Errorf("%d values are too few for a bound of %v that holds in %v of all samples: %d are needed",
			n, alpha, 1-delta, int(math.Ceil(math.Log(delta)/math.Log(1-alpha))))
	}
	return sorted[n-k], nil
}
