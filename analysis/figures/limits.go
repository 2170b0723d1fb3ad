package figures

import (
	"math"
	"strings"
)

// What axes say of measures that have limits but no unit.
const (
	fromZeroToOne = "0 to 1"
	zeroOrLess    = "0 or less"
)

// limits returns the least and the greatest value that a measure can have, by
// what its axis is called. Intervals are computed without regard to them (a mean
// of 97 % may have an interval up to 103 %) and are not drawn beyond them.
func limits(y string) (low, high float64) {
	switch {
	case strings.Contains(y, "%"):
		return 0, 100
	case strings.Contains(y, fromZeroToOne):
		return 0, 1
	case strings.Contains(y, "log-likelihood"), strings.Contains(y, zeroOrLess):
		return math.Inf(-1), 0
	case strings.Contains(y, "stars"), strings.Contains(y, "words"), strings.Contains(y, "entropy"), strings.Contains(y, "variance"), strings.Contains(y, "distance"):
		return 0, math.Inf(1)
	}
	return math.Inf(-1), math.Inf(1)
}
