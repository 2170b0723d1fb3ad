package envs

import (
	"math"
	"slices"
)

// CueMedian is the Cue that asks an environment with numeric proposals for the median of the
// proposals shown. The Contribution has it as a proposal, and as a text with the quartiles. If no
// proposal is shown, it has the text NoEstimates and no proposal.
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
