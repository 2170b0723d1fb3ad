package statistics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Line is the least squares line of y on x. R is Pearson's correlation; its
// test against 0 is that of the slope, Student's t with n-2 degrees of freedom.
type Line struct {
	N                int
	Slope, Intercept float64
	SE               float64 // of the slope
	R, P             float64
}

// LineOf fits the line to at least three pairs; x or y that never varies, up to rounding, is an error.
func LineOf(x, y []float64) (Line, error) {
	if len(x) != len(y) || len(x) < 3 {
		return Line{}, fmt.Errorf("%d and %d values; a line takes at least three pairs", len(x), len(y))
	}
	x, y = evenOut(x), evenOut(y)
	if slices.Min(x) == slices.Max(x) || slices.Min(y) == slices.Max(y) {
		return Line{}, errors.New("one of the two never varies")
	}
	l := Line{N: len(x), R: min(1, max(-1, stat.Correlation(x, y, nil)))}
	l.Intercept, l.Slope = stat.LinearRegression(x, y, nil, false)
	dof := float64(l.N - 2)
	rest := math.Sqrt((1 - l.R*l.R) / dof)
	l.SE = rest * stat.StdDev(y, nil) / stat.StdDev(x, nil)
	l.P = TwoSidedT(l.R/rest, dof)
	return l, nil
}

// Interval returns the 95 % interval of the slope, by Student's t with n-2 degrees of freedom.
func (l Line) Interval() Interval {
	half := QuantileT((1+level)/2, float64(l.N-2)) * l.SE
	return Interval{l.Slope - half, l.Slope + half, level}
}

// Spearman returns the rank correlation: the Line of the ranks, ties at their mean rank.
func Spearman(x, y []float64) (Line, error) {
	return LineOf(midranksOf(evenOut(x)), midranksOf(evenOut(y)))
}

func midranksOf(values []float64) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	ranks := make([]float64, len(values))
	for i, v := range values {
		low, _ := slices.BinarySearch(sorted, v)
		high := low
		for high < len(sorted) && sorted[high] == v {
			high++
		}
		ranks[i] = float64(low+high+1) / 2
	}
	return ranks
}
