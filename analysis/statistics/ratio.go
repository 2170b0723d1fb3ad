package statistics

import "math"

// Ratio of sums over clusters.
type Ratio struct {
	Value float64  `json:"value"`
	SE    *float64 `json:"se"` // over clusters; nil for one
	N     int      `json:"n"`  // clusters
}

// RatioOf returns Σ shown / Σ of over clusters, each a pair (shown, of), such as the
// messages of a collaboration that show something, and all of them. What is in
// one cluster may depend on each other: the standard error is over clusters
// (Cochran 1977, section 2.11). Nil where Σ of is 0.
func RatioOf(clusters [][2]float64) *Ratio {
	shown, of, n := 0., 0., float64(len(clusters))
	for _, c := range clusters {
		shown, of = shown+c[0], of+c[1]
	}
	if of == 0 {
		return nil
	}
	r := &Ratio{Value: shown / of, N: len(clusters)}
	if n > 1 {
		squares := 0.
		for _, c := range clusters {
			d := c[0] - r.Value*c[1]
			squares += d * d
		}
		r.SE = new(math.Sqrt(squares*n/(n-1)) / of)
	}
	return r
}
