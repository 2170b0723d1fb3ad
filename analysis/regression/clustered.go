package regression

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// rounding is the share of the ordinary standard error below which a clustered
// one is that of a computer's arithmetic.
const rounding = 1e-7

// Clustered tests each estimable coefficient with standard errors that allow for any dependence within a
// cluster (CR1: Liang and Zeger 1986 with Stata's correction G/(G-1)·(n-1)/(n-rank), t with G-1 degrees of
// freedom). cluster holds one number per row. Tests are in the order of Fit.Terms; nil for a coefficient that
// is not estimable, or that one cluster alone determines: its residuals add up to 0, so its error is only
// rounding.
func (m *Model) Clustered(y []float64, cluster []int) ([]*Test, error) {
	fit, err := m.Fit(y)
	if err != nil {
		return nil, err
	}
	if len(cluster) != len(y) {
		return nil, fmt.Errorf("%d clusters for %d rows", len(cluster), len(y))
	}
	scores := m.clusterScores(y, cluster)
	g := len(scores)
	if g < 2 {
		return nil, fmt.Errorf("clustered standard errors need at least 2 clusters; there is %d", g)
	}
	tests := make([]*Test, len(fit.Terms))
	if fit.DOF == 0 {
		return tests, nil
	}
	variance := make([]float64, len(fit.Terms))
	for _, score := range scores {
		for j, b := range m.solveNormal(score).RawMatrix().Data { // one column
			variance[j] += b * b
		}
	}
	correction := float64(g) / float64(g-1) * float64(fit.N-1) / float64(fit.DOF)
	for j, t := range fit.Terms {
		if se := math.Sqrt(correction * variance[j]); t.Test != nil && se > rounding*t.Test.SE {
			tests[j] = testCoefficient(t.Beta, se, g-1)
		}
	}
	return tests, nil
}

// clusterScores returns X'e of each cluster, in the order of their first rows.
func (m *Model) clusterScores(y []float64, cluster []int) []*mat.VecDense {
	_, k := m.x.Dims()
	residual := m.residualsOf(y, m.solveCoefficients(y))
	index := map[int]int{}
	var scores []*mat.VecDense
	for i, c := range cluster {
		at, ok := index[c]
		if !ok {
			at = len(scores)
			index[c] = at
			scores = append(scores, mat.NewVecDense(k, nil))
		}
		scores[at].AddScaledVec(scores[at], residual[i], m.x.RowView(i))
	}
	return scores
}
