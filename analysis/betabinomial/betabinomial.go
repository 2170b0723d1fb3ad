// Package betabinomial says how many of a group's agents agree, over a batch of
// groups, as a mixture of two Beta-Binomial distributions (Hu et al. 2025,
// arXiv 2510.12697): groups that agree and groups that do not. It promises the same
// figures for the same counts in any order. How far the distributions of two rounds
// are apart says whether talk still changes anything.
package betabinomial

import (
	"fmt"
	"math"
	"slices"
)

// Mixture is two Beta-Binomial distributions of counts from 0 to N.
type Mixture struct {
	N      int
	Weight [2]float64 // add up to 1
	Alpha  [2]float64
	Beta   [2]float64
}

// Bounds of the search: it ends when the log-likelihood gains less than gain.
const (
	mostSteps = 5000
	gain      = 1e-11
	least     = 1e-3 // of a shape
	most      = 1e3
)

// Fit finds the mixture of greatest likelihood by expectation maximization, from one
// fixed start. Its shapes are moved by Minka's fixed point (2000), which never makes
// the likelihood less. Shapes are kept from 0.001 to 1,000.
func Fit(counts []int, n int) (Mixture, error) {
	if len(counts) == 0 || n < 1 {
		return Mixture{}, fmt.Errorf("%d counts of groups of %d; at least one of each is needed", len(counts), n)
	}
	histogram := make([]float64, n+1)
	for _, c := range counts {
		if c < 0 || c > n {
			return Mixture{}, fmt.Errorf("a count is %d; 0 to %d are possible", c, n)
		}
		histogram[c]++
	}
	mean := 0.0
	for x, groups := range histogram {
		mean += groups * float64(x) / float64(n*len(counts))
	}
	mean = min(max(mean, 0.02), 0.98)
	m := Mixture{N: n, Weight: [2]float64{0.5, 0.5}}
	for k, at := range []float64{mean / 2, (1 + mean) / 2} {
		m.Alpha[k], m.Beta[k] = 2*at, 2*(1-at)
	}
	before := math.Inf(-1)
	for range mostSteps {
		after := m.improve(histogram)
		if after-before < gain {
			break
		}
		before = after
	}
	return m, nil
}

// improve takes one step and returns the log-likelihood before it.
func (m *Mixture) improve(histogram []float64) (likelihood float64) {
	var share [2][]float64 // of each count, by component
	for k := range share {
		share[k] = make([]float64, m.N+1)
	}
	total := 0.0
	for x, n := range histogram {
		p := [2]float64{m.Weight[0] * m.mass(0, x), m.Weight[1] * m.mass(1, x)}
		all := max(p[0]+p[1], math.SmallestNonzeroFloat64)
		share[0][x], share[1][x] = n*p[0]/all, n*p[1]/all
		total += n
		if n > 0 {
			likelihood += n * math.Log(all)
		}
	}
	for k := range share {
		weight := 0.0
		var a, b, both float64
		for x, w := range share[k] {
			weight += w
			a += w * rising(m.Alpha[k], x)
			b += w * rising(m.Beta[k], m.N-x)
		}
		both = weight * rising(m.Alpha[k]+m.Beta[k], m.N)
		m.Weight[k] = weight / total
		if both > 0 {
			m.Alpha[k] = min(max(m.Alpha[k]*a/both, least), most)
			m.Beta[k] = min(max(m.Beta[k]*b/both, least), most)
		}
	}
	return likelihood
}

// rising returns ψ(from + steps) - ψ(from), which is a sum for whole steps.
func rising(from float64, steps int) float64 {
	sum := 0.0
	for i := range steps {
		sum += 1 / (from + float64(i))
	}
	return sum
}

// mass of a count in a component.
func (m *Mixture) mass(k, x int) float64 {
	a, b, n := m.Alpha[k], m.Beta[k], float64(m.N)
	return math.Exp(logBeta(float64(x)+a, n-float64(x)+b) - logBeta(a, b) + logChoose(n, float64(x)))
}

func logBeta(a, b float64) float64 { return logGamma(a) + logGamma(b) - logGamma(a+b) }

func logChoose(n, k float64) float64 { return logGamma(n+1) - logGamma(k+1) - logGamma(n-k+1) }

func logGamma(x float64) float64 {
	g, _ := math.Lgamma(x)
	return g
}

// Cumulative returns the probability of at most x, for x from 0 to N.
func (m Mixture) Cumulative() []float64 {
	sums, sum := make([]float64, m.N+1), 0.0
	for x := range sums {
		sum += m.Weight[0]*m.mass(0, x) + m.Weight[1]*m.mass(1, x)
		sums[x] = sum
	}
	return sums
}

// Distance of Kolmogorov and Smirnov: the greatest difference between two cumulative
// distributions over the same counts.
func Distance(a, b Mixture) float64 {
	x, y, greatest := a.Cumulative(), b.Cumulative(), 0.0
	for i := range min(len(x), len(y)) {
		greatest = max(greatest, math.Abs(x[i]-y[i]))
	}
	return greatest
}

// Epsilon and Rounds are the paper's: a batch is stable once the distance has been
// below 0.05 in two rounds in a row.
const (
	Epsilon = 0.05
	Rounds  = 2
)

// StableRound returns the first round, from 1, at which a batch is stable, and the
// distance of each round from the one before, the first one's being 0. Round 0 means
// that it never is. counts are by round, then by group; n is the size of a group.
func StableRound(counts [][]int, n int) (round int, distances []float64, err error) {
	var last Mixture
	for r, c := range counts {
		now, err := Fit(c, n)
		if err != nil {
			return 0, nil, fmt.Errorf("round %d: %w", r+1, err)
		}
		distance := 0.0
		if r > 0 {
			distance = Distance(last, now)
		}
		distances, last = append(distances, distance), now
		if r >= Rounds && round == 0 && slices.Max(distances[r-Rounds+1:]) < Epsilon {
			round = r + 1
		}
	}
	return round, distances, nil
}
