package report

import (
	"fmt"
	"math"
	"strings"
)

// figureText returns a figure for people with four digits and a true minus.
func figureText(v float64) string {
	text := fmt.Sprintf("%.4g", roundForPeople(v))
	if digits, isNegative := strings.CutPrefix(text, "-"); isNegative {
		return "−" + digits
	}
	return text
}

// roundForPeople returns a figure for people: what only rounding keeps from 0 is 0, without a minus.
func roundForPeople(v float64) float64 {
	if math.Abs(v) < 1e-9 {
		return 0
	}
	return v
}
