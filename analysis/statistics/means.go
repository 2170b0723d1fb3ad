package statistics

import (
	"fmt"
	"math"
)

// TTest is a difference of means and Student's test of it.
type TTest struct {
	Difference float64  `json:"difference"`
	SE         float64  `json:"se"`
	T          float64  `json:"t"`
	DOF        float64  `json:"dof"`
	P          float64  `json:"p"`
	CI         Interval `json:"ci"` // of the difference, 95 %
}

const level = 0.95

func tTest(difference, se, dof float64) TTest {
	t := difference / se
	half := QuantileT((1+level)/2, dof) * se
	return TTest{difference, se, t, dof, TwoSidedT(t, dof), Interval{difference - half, difference + half, level}}
}

// MeanInterval returns the mean of x, which has at least one value, and its 95 % t interval; within is nil for
// a single value, and for several that differ only by rounding.
func MeanInterval(x []float64) (mean float64, within *Interval) {
	mean, se := meanSE(evenOut(x))
	if len(x) < 2 || se == 0 {
		return mean, nil
	}
	half := QuantileT((1+level)/2, float64(len(x)-1)) * se
	return mean, &Interval{mean - half, mean + half, level}
}

// Differences returns the differences x - y of two paired samples.
func Differences(x, y []float64) ([]float64, error) {
	if len(x) != len(y) {
		return nil, fmt.Errorf("%d and %d values are not pairs", len(x), len(y))
	}
	d := make([]float64, len(x))
	for i := range x {
		d[i] = x[i] - y[i]
	}
	return d, checkFinite(d)
}

// Paired returns the t-test of paired differences d against 0. Differences without spread, up to rounding, are
// an error.
func Paired(d []float64) (TTest, error) {
	if len(d) < 2 {
		return TTest{}, fmt.Errorf("a paired test needs at least 2 pairs; there are %d", len(d))
	}
	if err := checkFinite(d); err != nil {
		return TTest{}, err
	}
	mean, se := meanSE(evenOut(d))
	if se == 0 {
		return TTest{}, fmt.Errorf("all %d differences are %v; without spread there is no test", len(d), mean)
	}
	return tTest(mean, se, float64(len(d)-1)), nil
}

// Sample is a published sample of which only the mean, its standard error and n are known.
type Sample struct {
	Mean, SE float64
	N        int
}

// Welch returns the t-test of two independent samples of unequal variance (Welch 1947).
func Welch(a, b Sample) (TTest, error) {
	if a.N < 2 || b.N < 2 {
		return TTest{}, fmt.Errorf("a test by Welch needs at least 2 values on both sides; there are %d and %d", a.N, b.N)
	}
	va, vb := a.SE*a.SE, b.SE*b.SE
	if va+vb == 0 || math.IsNaN(va+vb) {
		return TTest{}, fmt.Errorf("neither sample has any spread; there is no test")
	}
	dof := (va + vb) * (va + vb) / (va*va/float64(a.N-1) + vb*vb/float64(b.N-1))
	return tTest(a.Mean-b.Mean, math.Sqrt(va+vb), dof), nil
}
