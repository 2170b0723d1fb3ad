package regression

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// cancelled is the share of the sum of squares below which a difference of two such sums is rounding.
const cancelled = 1e-12

// Fit returns the least squares fit over the collaborations with these indices, and its columns. It solves
// X'X, which for a 0/1 design is a table of exact counts: rounding is harmless, and it takes a tenth of the
// time of decomposing X, which counts because cross-validation fits hundreds of times. Aliased terms are not
// estimable here either, but they are not grouped.
func (p *Pairs) Fit(runs []int) (Fit, []Column, error) {
	of := p.rowsOf(runs)
	kept, _ := p.fittableColumns(of)
	y, gradient, names := p.outcomesOf(of, kept)
	if len(kept) == 0 {
		return Fit{}, nil, fmt.Errorf("no pair of dialogue acts is in at least %d of %d rounds and missing in as many", Rare, len(y))
	}
	if err := checkOutcome(y, len(y)); err != nil {
		return Fit{}, nil, err
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(p.gramMatrix(of, kept), true) {
		return Fit{}, nil, fmt.Errorf("the eigenvalues of %d pairs do not converge", len(kept))
	}
	v, s := leadingVectors(&eigen, len(y))
	m := Model{v: v, s: s}
	beta := m.solveNormal(gradient).RawMatrix().Data // one column
	f := Fit{N: len(y), Rank: len(s), DOF: len(y) - len(s), RSS: floats.Dot(y, y)}
	if rest := f.RSS - mat.Dot(mat.NewVecDense(len(beta), beta), gradient); rest > cancelled*f.RSS {
		f.RSS = rest
	} else {
		f.RSS = 0
	}
	f.fillTerms(names, beta, v, s)
	return f, kept, nil
}

// gramMatrix returns X'X with the intercept first.
func (p *Pairs) gramMatrix(of set, kept []Column) *mat.SymDense {
	columns := []set{of}
	for _, c := range kept {
		columns = append(columns, p.shown[c.Pair])
	}
	g := mat.NewSymDense(len(columns), nil)
	for i, a := range columns {
		for j, b := range columns[i:] {
			g.SetSym(i, i+j, float64(countInAll(a, b, of)))
		}
	}
	return g
}

// outcomesOf of some rows, X'y and the names of the terms.
func (p *Pairs) outcomesOf(of set, kept []Column) ([]float64, *mat.VecDense, []string) {
	var y []float64
	g := mat.NewVecDense(len(kept)+1, nil)
	names := []string{Intercept}
	for _, c := range kept {
		names = append(names, c.Pair.String())
	}
	for i, v := range p.y {
		if !of.hasBit(i) {
			continue
		}
		y = append(y, v)
		g.SetVec(0, g.AtVec(0)+v)
		for j, c := range kept {
			if p.shown[c.Pair].hasBit(i) {
				g.SetVec(j+1, g.AtVec(j+1)+v)
			}
		}
	}
	return y, g, names
}

// leadingVectors eigenvectors and the singular values of X that belong to them,
// greatest first; the rest are 0 up to rounding.
func leadingVectors(eigen *mat.EigenSym, n int) (*mat.Dense, []float64) {
	values := eigen.Values(nil)
	k := len(values)
	tiny := values[k-1] * float64(max(n, k)) * 0x1p-52
	rank := 0
	for rank < k && values[k-1-rank] > tiny {
		rank++
	}
	var all mat.Dense
	eigen.VectorsTo(&all)
	v, s := mat.NewDense(k, rank, nil), make([]float64, rank)
	for j := range rank {
		s[j] = math.Sqrt(values[k-1-j])
		v.SetCol(j, mat.Col(nil, k-1-j, &all))
	}
	return v, s
}
