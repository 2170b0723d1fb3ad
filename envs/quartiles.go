package envs

import (
	"math"
	"slices"
)

// CueMedian asks an environment whose proposals are numbers for the median of
// those that the step shows, as a proposal and in words with the quartiles. Where
// nobody has proposed anything it answers NoEstimates and no proposal.
const (
	CueMedian   = "median"
	NoEstimates = "No agent has given an estimate."
)

// Quartiles returns the first quartile, the median and the third quartile of at
// least one number, interpolated between neighbours (Hyndman and Fan 1996, type 7).
func Quartiles(values []float64) [3]float64 {
	sorted := slices.Sorted(slices.Values(values))
	var q [3]float64
	for i := range q {
		at := float64(i+1) / 4 * float64(len(sorted)-1)
		below := math.Floor(at)
		low, high := sorted[int(below)], sorted[int(math.Ceil(at))]
		q[i] = low + (at-below)*(high-low)
	}
	return q
}
