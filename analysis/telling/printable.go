package telling

import (
	"math"
	"strings"
	"unicode"
)

// Printable keeps lines and drops whatever else could steer a terminal or turn
// the reading direction of a page.
func Printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		case r == '\u2028', r == '\u2029':
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Rounded is a figure for people: what only rounding keeps from 0 is 0, without a minus.
func Rounded(v float64) float64 {
	if math.Abs(v) < 1e-9 {
		return 0
	}
	return v
}
