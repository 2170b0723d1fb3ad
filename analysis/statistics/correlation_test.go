package statistics

import (
	"math"
	"slices"
	"testing"

	"roundtable/analysis/referencetest"
)

// scipy and statsmodels on 60 pairs (stat_tests.json, hr_gap_regression).
func TestLineReference(t *testing.T) {
	var v struct {
		Case struct {
			HR, Gap                    []float64
			Beta, Intercept, SE, R2, P float64
			Pearson, Spearman          float64
			SpearmanP                  float64 `json:"spearman_p"`
		} `json:"hr_gap_regression"`
	}
	referencetest.Read(t, "stat_tests.json", &v)
	c := v.Case
	line, err := LineOf(c.HR, c.Gap)
	if err != nil {
		t.Fatal(err)
	}
	rho, err := Spearman(c.HR, c.Gap)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		what      string
		got, want float64
	}{
		{"slope", line.Slope, c.Beta}, {"intercept", line.Intercept, c.Intercept}, {"se", line.SE, c.SE}, {"R²", line.R * line.R, c.R2},
		{"p", line.P, c.P}, {"Pearson", line.R, c.Pearson}, {"Spearman", rho.R, c.Spearman}, {"Spearman's p", rho.P, c.SpearmanP},
	} {
		same(t, x.what, x.got, x.want)
	}
}

// By hand: (1,1), (2,3), (3,2) has slope 1/2 and r = 1/2; ranks with ties are means.
func TestLine(t *testing.T) {
	line, err := LineOf([]float64{1, 2, 3}, []float64{1, 3, 2})
	if err != nil || math.Abs(line.Slope-0.5) > 1e-12 || math.Abs(line.R-0.5) > 1e-12 || math.Abs(line.Intercept-1) > 1e-12 {
		t.Errorf("%+v, %v", line, err)
	}
	// The residuals are -1/2, 1, -1/2: the slope's standard error is √0.75, t with one degree of freedom 12.7062.
	if i, half := line.Interval(), 12.706204736174694*math.Sqrt(0.75); math.Abs(i.Low-0.5+half) > 1e-8 || math.Abs(i.High-0.5-half) > 1e-8 {
		t.Errorf("the interval is %+v, want 0.5 ± %v", i, half)
	}
	if got, want := midranksOf([]float64{5, 1, 5, 9}), []float64{2.5, 1, 2.5, 4}; !slices.Equal(got, want) {
		t.Errorf("ranks are %v, want %v", got, want)
	}
	for _, c := range [][2][]float64{{{1, 2}, {1, 2}}, {{1, 1, 1}, {1, 2, 3}}, {{1, 2, 3}, {4, 4, 4}}, {{1, 2, 3}, {1, 2}}} {
		if l, err := LineOf(c[0], c[1]); err == nil {
			t.Errorf("%v has the line %+v", c, l)
		}
	}
	if l, err := LineOf([]float64{1, 2, 3}, []float64{2, 4, 6}); err != nil || l.P != 0 || math.Abs(l.Slope-2) > 1e-12 || math.IsNaN(l.SE) {
		t.Errorf("a perfect line is %+v, %v", l, err)
	}
}
