package statistics

import "math"

// Ratio is Σ shown / Σ of over clusters, each a pair (shown, of), such as the
// messages of a collaboration that show something, and all of them. What is in
// one cluster may depend on each other: the standard error is over clusters
// (Cochran 1977, section 2.11), nil if there is only one. Undefined where Σ of is 0.
func Ratio(clusters [][2]float64) (ratio float64, se *float64, ok bool) {
	shown, of, n := 0., 0., float64(len(clusters))
	for _, c := range clusters {
		shown, of = shown+c[0], of+c[1]
	}
	if of == 0 {
		return 0, nil, false
	}
	ratio = shown / of
	if n > 1 {
		squares := 0.
		for _, c := range clusters {
			d := c[0] - ratio*c[1]
			squares += d * d
		}
		s := math.Sqrt(squares*n/(n-1)) / of
		se = &s
	}
	return ratio, se, true
}
