package regression_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"roundtable/analysis/referencetest"
	"roundtable/analysis/regression"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(b)) }

// relative also holds p-values of 1e-60 to nine digits.
func relative(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b)+1e-300 }

type olsCase struct {
	Names     []string
	X         [][]float64
	Y         []float64
	Groups    []int
	Reference struct {
		Beta      []float64
		SE        []*float64
		P         []*float64
		Rank, DOF int
		RSS       float64
		Estimable []bool
		CR1       []float64 `json:"se_cr1"`
		PCR1      []float64 `json:"p_cr1"`
	}
}

// statsmodels, a reference implementation in numpy and R agree on these cases.
func TestReferenceCases(t *testing.T) {
	var cases struct{ Cases map[string]olsCase }
	referencetest.Read(t, "ols_cases.json", &cases)
	if len(cases.Cases) != 7 {
		t.Fatalf("%d cases", len(cases.Cases))
	}
	for name, c := range cases.Cases {
		t.Run(name, func(t *testing.T) {
			m, err := regression.NewModel(c.Names[1:], dense(c.X))
			if err != nil {
				t.Fatal(err)
			}
			f, err := m.Fit(c.Y)
			if err != nil {
				t.Fatal(err)
			}
			want := c.Reference
			if f.Rank != want.Rank || f.DOF != want.DOF || !near(f.RSS, want.RSS) {
				t.Errorf("rank %d dof %d rss %g, want %d %d %g", f.Rank, f.DOF, f.RSS, want.Rank, want.DOF, want.RSS)
			}
			for j, term := range f.Terms {
				if term.Name != c.Names[j] || term.Estimable != want.Estimable[j] || !near(term.Beta, want.Beta[j]) {
					t.Errorf("%+v, want %s %v %v", term, c.Names[j], want.Beta[j], want.Estimable[j])
				}
				if tested := term.Estimable && f.DOF > 0; tested != (term.Test != nil) {
					t.Errorf("%s: tested %t, want %t", term.Name, term.Test != nil, tested)
				} else if tested && (!near(term.Test.SE, *want.SE[j]) || !relative(term.Test.P, *want.P[j])) {
					t.Errorf("%s: %+v, want se %v p %v", term.Name, *term.Test, *want.SE[j], *want.P[j])
				}
			}
			if c.Groups == nil {
				return
			}
			tests, err := m.Clustered(c.Y, c.Groups)
			if err != nil {
				t.Fatal(err)
			}
			for j, test := range tests {
				if !near(test.SE, want.CR1[j]) || !relative(test.P, want.PCR1[j]) {
					t.Errorf("CR1 of %s: %+v, want %v %v", c.Names[j], *test, want.CR1[j], want.PCR1[j])
				}
			}
		})
	}
}

func dense(rows [][]float64) *mat.Dense {
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		x.SetRow(i, r)
	}
	return x
}

// x2 differs within the first cluster only: its clustered error is nothing, and
// nothing is not evidence. x1 is compared with other clusters.
func TestOneClusterHasNoError(t *testing.T) {
	x := dense([][]float64{{1, 1}, {1, 1}, {1, 0}, {1, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}})
	m, err := regression.NewModel([]string{"x1", "x2"}, x)
	if err != nil {
		t.Fatal(err)
	}
	tests, err := m.Clustered([]float64{1, 2.5, 2, 4.25, 1, 3, 2, 7}, []int{0, 0, 0, 0, 1, 1, 2, 2})
	if err != nil {
		t.Fatal(err)
	}
	if tests[1] == nil || tests[2] != nil {
		t.Errorf("x1 %+v, x2 %+v; x2 can have no test", tests[1], tests[2])
	}
}

// x1 + x2 is the intercept: of the three only combinations are determined, and x3 stands alone.
func TestAliased(t *testing.T) {
	x := dense([][]float64{{1, 0, 0}, {0, 1, 1}, {1, 0, 1}, {0, 1, 0}, {1, 0, 1}, {0, 1, 1}})
	f, err := regression.LeastSquares([]string{"x1", "x2", "x3"}, x, []float64{1, 2, 4, 1, 3, 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Aliased) != 1 || strings.Join(f.Aliased[0], " ") != "(Intercept) x1 x2" {
		t.Errorf("aliased: %v", f.Aliased)
	}
	if !f.Terms[3].Estimable || f.Terms[1].Estimable || f.Rank != 3 {
		t.Errorf("%+v", f)
	}
	// By hand: within x1 = 1 and within x1 = 0, x3 adds 2.5 and 1.5 (two rows against one each).
	if !near(f.Terms[3].Beta, 2) {
		t.Errorf("x3 is worth %v, want 2", f.Terms[3].Beta)
	}
}

func TestWhatCannotBeFitted(t *testing.T) {
	x := dense([][]float64{{1}, {0}, {1}})
	for _, c := range []struct {
		what string
		err  func() error
		says string
	}{
		{"constant outcome", func() error { _, err := regression.LeastSquares([]string{"a"}, x, []float64{2, 2, 2}); return err }, "the same in all 3 rows"},
		{"outcome too short", func() error { _, err := regression.LeastSquares([]string{"a"}, x, []float64{2}); return err }, "1 outcomes for 3 rows"},
		{"infinite outcome", func() error {
			_, err := regression.LeastSquares([]string{"a"}, x, []float64{1, math.Inf(1), 2})
			return err
		}, "row 2 is +Inf"},
		{"a name too many", func() error {
			_, err := regression.LeastSquares([]string{"a", "b"}, x, []float64{1, 2, 3})
			return err
		}, "2 names for 1 columns"},
		{"one cluster", func() error {
			m, err := regression.NewModel([]string{"a"}, x)
			if err != nil {
				return nil
			}
			_, err = m.Clustered([]float64{1, 2, 3}, []int{4, 4, 4})
			return err
		}, "at least 2 clusters"},
	} {
		if err := c.err(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.what, err, c.says)
		}
	}
}

// What defines least squares, for any design: residuals are orthogonal to every
// column, no shorter solution exists along what is left open, and a multiple of
// the outcome has that multiple of the coefficients.
func TestLeastSquaresProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(3, 12).Draw(t, "n"), rapid.IntRange(1, 6).Draw(t, "k")
		x, names := mat.NewDense(n, k, nil), make([]string, k)
		y := make([]float64, n)
		for i := range n {
			y[i] = float64(rapid.IntRange(-9, 9).Draw(t, "y"))
			for j := range k {
				names[j] = string(rune('a' + j))
				x.Set(i, j, float64(rapid.IntRange(0, 1).Draw(t, "x")))
			}
		}
		f, err := regression.LeastSquares(names, x, y)
		if err != nil {
			return // a constant outcome
		}
		doubled := make([]float64, n)
		for i, v := range y {
			doubled[i] = 2 * v
		}
		g, err := regression.LeastSquares(names, x, doubled)
		if err != nil {
			t.Fatal(err)
		}
		sums := make([]float64, k+1)
		for i := range n {
			e := y[i] - f.Terms[0].Beta
			for j := range k {
				e -= f.Terms[j+1].Beta * x.At(i, j)
			}
			sums[0] += e
			for j := range k {
				sums[j+1] += e * x.At(i, j)
			}
		}
		for j, s := range sums {
			if math.Abs(s) > 1e-8 {
				t.Errorf("residuals and %s have product %g", f.Terms[j].Name, s)
			}
			if math.Abs(g.Terms[j].Beta-2*f.Terms[j].Beta) > 1e-8 {
				t.Errorf("%s is %g, and %g of the doubled outcome", f.Terms[j].Name, f.Terms[j].Beta, g.Terms[j].Beta)
			}
		}
		if open := len(f.Aliased) > 0; open != (f.Rank < k+1) {
			t.Errorf("rank %d of %d and aliased terms %v", f.Rank, k+1, f.Aliased)
		}
	})
}
