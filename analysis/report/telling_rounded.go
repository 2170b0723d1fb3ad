package report

import (
	"math"
)

// roundForPeople returns a figure for people: what only rounding keeps from 0 is 0, without a minus.
func roundForPeople(v float64) float64 {
	if math.Abs(v) < 1e-9 {
		return 0
	}
	return v
}
