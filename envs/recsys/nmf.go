package recsys

import (
	"math"
	"math/rand/v2"

	"roundtable/envs"
)

// cell is a value that is not zero, in one row of a sparse matrix.
type cell struct {
	column int
	value  float64
}

// factor has one row of k numbers for each user, or for each movie.
type factor struct {
	k      int
	values []float64
}

func newFactor(rows, k int) factor { return factor{k, make([]float64, rows*k)} }

func (f factor) rowOf(i int) []float64 { return f.values[i*f.k : (i+1)*f.k] }

func (f factor) rowCount() int { return len(f.values) / f.k }

// epsilon takes the place of a zero in a denominator, as in scikit-learn (float32's epsilon).
const epsilon = 1.0 / (1 << 23)

// Products below are wrapped in float64(…), which keeps compilers from fusing
// them with the sum: the factors are the same on every machine.

// factorizeMatrix lowers ‖X − W·Hᵀ‖ by multiplicative updates (Lee and Seung), W
// before H in every iteration. byRow and byColumn are both X.
func factorizeMatrix(byRow, byColumn [][]cell, w, h factor, iterations int) {
	for range iterations {
		w.updateWith(h, byRow)
		h.updateWith(w, byColumn)
	}
}

// updateWith multiplies f by (X·g) / (f·gᵀg), element by element; row i of x belongs to row i of f.
func (f factor) updateWith(g factor, x [][]cell) {
	gram := g.gramMatrix()
	numerator := make([]float64, f.k)
	denominator := make([]float64, f.k)
	for i := range f.rowCount() {
		clear(numerator)
		for _, c := range x[i] {
			addScaled(numerator, c.value, g.rowOf(c.column))
		}
		row := f.rowOf(i)
		clear(denominator)
		for a, v := range row {
			addScaled(denominator, v, gram.rowOf(a))
		}
		for a := range row {
			if denominator[a] == 0 {
				denominator[a] = epsilon
			}
			row[a] *= numerator[a] / denominator[a]
		}
	}
}

// gramMatrix returns fᵀf.
func (f factor) gramMatrix() factor {
	g := newFactor(f.k, f.k)
	for i := range f.rowCount() {
		row := f.rowOf(i)
		for a, v := range row {
			addScaled(g.rowOf(a), v, row)
		}
	}
	return g
}

func addScaled(sum []float64, scale float64, v []float64) {
	for i := range sum {
		sum[i] += float64(scale * v[i])
	}
}

// fillRandomly fills a factor with |normal| numbers of scikit-learn's scale for a matrix of that mean.
func (f factor) fillRandomly(rng *rand.Rand, mean float64) {
	scale := math.Sqrt(mean / float64(f.k))
	for i := range f.values {
		f.values[i] = scale * math.Abs(rng.NormFloat64())
	}
}

// tastes are the users' rows of W.
type tastes struct {
	factor
	length []float64
}

func newTastes(d *dataset, p NMF) tastes {
	total := 0
	byUser, byMovie := make([][]cell, len(d.users)), make([][]cell, len(d.movies))
	for _, r := range d.base {
		byUser[r.user] = append(byUser[r.user], cell{r.movie, float64(r.stars)})
		byMovie[r.movie] = append(byMovie[r.movie], cell{r.user, float64(r.stars)})
		total += r.stars
	}
	mean := float64(total) / float64(len(d.users)) / float64(len(d.movies))
	w, h := newFactor(len(d.users), p.K), newFactor(len(d.movies), p.K)
	w.fillRandomly(envs.Stream(p.Seed, "recsys/nmf/w"), mean)
	h.fillRandomly(envs.Stream(p.Seed, "recsys/nmf/h"), mean)
	factorizeMatrix(byUser, byMovie, w, h, p.Iterations)
	return measureTastes(w)
}

func measureTastes(w factor) tastes {
	t := tastes{w, make([]float64, w.rowCount())}
	for i := range t.length {
		t.length[i] = math.Sqrt(dotProduct(w.rowOf(i), w.rowOf(i)))
	}
	return t
}

func dotProduct(a, b []float64) (sum float64) {
	for i := range a {
		sum += float64(a[i] * b[i])
	}
	return sum
}

// cosineOf returns the cosine of two users' tastes, 0 if one of them rated nothing.
func (t tastes) cosineOf(a, b int) float64 {
	if t.length[a] == 0 || t.length[b] == 0 {
		return 0
	}
	return dotProduct(t.rowOf(a), t.rowOf(b)) / t.length[a] / t.length[b]
}
