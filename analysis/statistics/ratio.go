package statistics

import "math"

// Ratio is a ratio of sums over clusters.
type Ratio struct {
	Value float64  `json:"value"`
	SE    *float64 `json:"se"` // over clusters; nil for one, and without spread
	N     int      `json:"n"`  // clusters
}

// RatioOf returns Σ shown / Σ of over clusters, each a pair (shown, of), such as the number of messages of a
// collaboration that show something, and of all its messages. Messages of one cluster may depend on each
// other: the standard error is over clusters (Cochran 1977, section 2.11). It returns nil if Σ of is 0.
// Clusters that are all alike, up to rounding, have no standard error: 3 right of 3 are no certainty.
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
		if se := math.Sqrt(squares*n/(n-1)) / of; se > rounding*max(1, math.Abs(r.Value)) {
			r.SE = &se
		}
	}
	return r
}

// Interval returns the 95 % t interval over the clusters; nil without a standard error.
func (r Ratio) Interval() *Interval {
	if r.SE == nil {
		return nil
	}
	half := QuantileT((1+level)/2, float64(r.N-1)) * *r.SE
	return &Interval{r.Value - half, r.Value + half, level}
}

// ShareInterval returns the 95 % interval of a share: the t interval cut at 0 and 1, or, if all clusters are 0
// or all are 1, the exact one (Clopper and Pearson 1934), which holds for any distribution on [0, 1]. It is
// nil for one cluster, and for others without spread.
func (r Ratio) ShareInterval() *Interval {
	if within := r.Interval(); within != nil {
		return &Interval{max(0, within.Low), min(1, within.High), level}
	}
	least := math.Pow((1-level)/2, 1/float64(r.N))
	switch {
	case r.N < 2:
	case math.Abs(r.Value-1) <= rounding:
		return &Interval{least, 1, level}
	case math.Abs(r.Value) <= rounding:
		return &Interval{0, 1 - least, level}
	}
	return nil
}
