// Package regression relates what agents said to the outcome: ordinary least squares that reports which
// coefficients the data determine, and tests that keep the rounds of one collaboration together.
package regression

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"roundtable/analysis/statistics"
)

// Intercept is the name of the first term of every fit.
const Intercept = "(Intercept)"

// determined is how much of a unit vector may lie outside the row space of a
// coefficient that still counts as determined by the data.
const determined = 1e-8

// Fit is a least squares fit by the solution of minimum norm.
type Fit struct {
	N     int     `json:"n"`
	Rank  int     `json:"rank"` // of the design with its intercept
	DOF   int     `json:"dof"`  // N - Rank
	RSS   float64 `json:"rss"`
	Terms []Term  `json:"terms"` // the intercept first
	// Aliased are groups of terms of which only combinations are determined: no
	// coefficient in them means anything by itself.
	Aliased [][]string `json:"aliased"`
}

// Term is one coefficient.
type Term struct {
	Name      string  `json:"name"`
	Beta      float64 `json:"beta"`
	Estimable bool    `json:"estimable"` // determined by the data
	Test      *Test   `json:"test"`      // nil if not estimable, or nothing is left to estimate an error from
}

// Test is Student's t-test of a coefficient against 0.
type Test struct {
	SE float64 `json:"se"`
	T  float64 `json:"t"`
	P  float64 `json:"p"`
}

// Model is a design whose thin singular value decomposition, after adding an intercept, serves any number of
// outcomes.
type Model struct {
	names []string // of the terms
	x     *mat.Dense
	u, v  *mat.Dense // singular vectors of the values that are not 0
	s     []float64  // these values
}

// NewModel decomposes columns, given as an n × k matrix without intercept. A
// singular value counts as 0 below s₁·max(n, k)·2⁻⁵².
func NewModel(names []string, columns *mat.Dense) (*Model, error) {
	n, k := columns.Dims()
	if len(names) != k {
		return nil, fmt.Errorf("%d names for %d columns", len(names), k)
	}
	x := mat.NewDense(n, k+1, nil)
	for i := range n {
		x.Set(i, 0, 1)
		for j, v := range columns.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("row %d, column %s is %v; only finite numbers can be fitted", i+1, names[j], v)
			}
			x.Set(i, j+1, v)
		}
	}
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		return nil, fmt.Errorf("the singular values of %d rows and %d columns do not converge", n, k+1)
	}
	s := svd.Values(nil)
	tiny := s[0] * float64(max(n, k+1)) * 0x1p-52
	rank := 0
	for rank < len(s) && s[rank] > tiny {
		rank++
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	return &Model{
		names: append([]string{Intercept}, names...), x: x, s: s[:rank],
		u: mat.DenseCopyOf(u.Slice(0, n, 0, rank)), v: mat.DenseCopyOf(v.Slice(0, k+1, 0, rank)),
	}, nil
}

// LeastSquares fits y to columns, an n × k matrix without intercept, named by names.
func LeastSquares(names []string, columns *mat.Dense, y []float64) (Fit, error) {
	m, err := NewModel(names, columns)
	if err != nil {
		return Fit{}, err
	}
	return m.Fit(y)
}

// Fit fits the design to an outcome of n values. An outcome that never varies is an error.
func (m *Model) Fit(y []float64) (Fit, error) {
	n, _ := m.x.Dims()
	if err := checkOutcome(y, n); err != nil {
		return Fit{}, err
	}
	beta := m.solveCoefficients(y)
	residual := m.residualsOf(y, beta)
	f := Fit{N: n, Rank: len(m.s), DOF: n - len(m.s), RSS: floats.Dot(residual, residual)}
	f.fillTerms(m.names, beta, m.v, m.s)
	f.Aliased = aliasedTerms(m.names, m.v)
	return f, nil
}

// solveCoefficients returns the solution of minimum norm, VS⁻¹U'y.
func (m *Model) solveCoefficients(y []float64) []float64 {
	var z, b mat.VecDense
	z.MulVec(m.u.T(), mat.NewVecDense(len(y), y))
	for i, s := range m.s {
		z.SetVec(i, z.AtVec(i)/s)
	}
	b.MulVec(m.v, &z)
	return b.RawVector().Data
}

// solveNormal returns (X'X)⁺G for columns of X'y, which is the same up to rounding.
func (m *Model) solveNormal(g mat.Matrix) *mat.Dense {
	var z, b mat.Dense
	z.Mul(m.v.T(), g)
	for i, s := range m.s {
		row := z.RawRowView(i)
		for j := range row {
			row[j] /= s * s
		}
	}
	b.Mul(m.v, &z)
	return &b
}

func (m *Model) residualsOf(y, beta []float64) []float64 {
	var e mat.VecDense
	e.MulVec(m.x, mat.NewVecDense(len(beta), beta))
	e.SubVec(mat.NewVecDense(len(y), y), &e)
	return e.RawVector().Data
}

// fillTerms fills in what follows from coefficients, the row space v and its singular values.
func (f *Fit) fillTerms(names []string, beta []float64, v *mat.Dense, s []float64) {
	for j, name := range names {
		row := v.RawRowView(j)
		t := Term{Name: name, Beta: beta[j], Estimable: 1-floats.Dot(row, row) < determined}
		if t.Estimable && f.DOF > 0 && f.RSS > 0 {
			variance := 0.0
			for i, s := range s {
				variance += row[i] / s * row[i] / s
			}
			t.Test = testCoefficient(t.Beta, math.Sqrt(variance*f.RSS/float64(f.DOF)), f.DOF)
		}
		f.Terms = append(f.Terms, t)
	}
}

func testCoefficient(beta, se float64, dof int) *Test {
	t := beta / se
	return &Test{SE: se, T: t, P: statistics.TwoSidedT(t, float64(dof))}
}

// checkOutcome refuses what no regression can explain.
func checkOutcome(y []float64, n int) error {
	if len(y) != n {
		return fmt.Errorf("%d outcomes for %d rows", len(y), n)
	}
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("the outcome of row %d is %v; only finite numbers can be fitted", i+1, v)
		}
	}
	if n < 2 || slices.Min(y) == slices.Max(y) {
		return fmt.Errorf("the outcome is the same in all %d rows; nothing can be related to it", n)
	}
	return nil
}
