package crossval

import (
	"fmt"
	"math"
	"slices"
)

// How many of a group's agents agree, over a batch of groups, is a mixture of two Beta-
// Binomial distributions (Hu et al. 2025, arXiv 2510.12697): groups that agree and groups
// that do not. The same counts in any order give the same figures. How far the
// distributions of two rounds are apart says whether talk still changes anything.

// mixture is two Beta-Binomial distributions of counts from 0 to N.
type mixture struct {
	N      int
	Weight [2]float64 // add up to 1
	Alpha  [2]float64
	Beta   [2]float64
}

// Bounds of the search: it ends when the log-likelihood gains less than gain.
const (
	mostSteps  = 5000
	gain       = 1e-11
	least      = 1e-3 // of a shape
	mostLikely = 1e3
)

// histogramOf returns how many groups have each count from 0 to n.
func histogramOf(counts []int, n int) ([]float64, error) {
	if len(counts) == 0 || n < 1 {
		return nil, fmt.Errorf("%d counts of groups of %d; at least one of each is needed", len(counts), n)
	}
	histogram := make([]float64, n+1)
	for _, c := range counts {
		if c < 0 || c > n {
			return nil, fmt.Errorf("a count is %d; 0 to %d are possible", c, n)
		}
		histogram[c]++
	}
	return histogram, nil
}

// fit finds the mixture of greatest likelihood by expectation maximization, from one
// fixed start. Its shapes are moved by Minka's fixed point (2000), which never makes
// the likelihood less. Shapes are kept from 0.001 to 1,000.
func fit(histogram []float64) mixture {
	n, groups, sum := len(histogram)-1, 0.0, 0.0
	for x, h := range histogram {
		groups, sum = groups+h, sum+h*float64(x)
	}
	mean := min(max(sum/(float64(n)*groups), 0.02), 0.98)
	m := mixture{N: n, Weight: [2]float64{0.5, 0.5}}
	for k, at := range []float64{mean / 2, (1 + mean) / 2} {
		m.Alpha[k], m.Beta[k] = 2*at, 2*(1-at)
	}
	work := newWorkspace(n)
	before := math.Inf(-1)
	for range mostSteps {
		after := m.improveOnce(histogram, work)
		if after-before < gain {
			break
		}
		before = after
	}
	return m
}

// workspace is the memory of the steps of one fit, which are up to 5,000.
type workspace struct {
	mass        [2][]float64 // of each count, by component
	share       [2][]float64 // of the groups of each count, by component
	alpha, beta []float64    // rising from the shapes
}

func newWorkspace(n int) *workspace {
	w := &workspace{alpha: make([]float64, n+1), beta: make([]float64, n+1)}
	for k := range w.mass {
		w.mass[k], w.share[k] = make([]float64, n+1), make([]float64, n+1)
	}
	return w
}

// improveOnce takes one step and returns the log-likelihood before it.
func (m *mixture) improveOnce(histogram []float64, work *workspace) (likelihood float64) {
	for k := range work.mass {
		m.massesOf(k, work.mass[k])
	}
	total := 0.0
	for x, n := range histogram {
		if n == 0 {
			continue // it has no share in anything, and a logarithm is costly
		}
		p := [2]float64{m.Weight[0] * work.mass[0][x], m.Weight[1] * work.mass[1][x]}
		all := max(p[0]+p[1], math.SmallestNonzeroFloat64)
		work.share[0][x], work.share[1][x] = n*p[0]/all, n*p[1]/all
		total += n
		likelihood += n * math.Log(all)
	}
	for k, share := range work.share {
		risingDigamma(m.Alpha[k], work.alpha)
		risingDigamma(m.Beta[k], work.beta)
		var weight, a, b, both float64
		for x, w := range share {
			weight += w
			a += w * work.alpha[x]
			b += w * work.beta[m.N-x]
		}
		for i := range m.N {
			both += 1 / (m.Alpha[k] + m.Beta[k] + float64(i))
		}
		both *= weight
		m.Weight[k] = weight / total
		if both > 0 {
			m.Alpha[k] = min(max(m.Alpha[k]*a/both, least), mostLikely)
			m.Beta[k] = min(max(m.Beta[k]*b/both, least), mostLikely)
		}
	}
	return likelihood
}

// risingDigamma sets into[i] to ψ(from + i) - ψ(from), which is a sum for whole i.
func risingDigamma(from float64, into []float64) {
	sum := 0.0
	for i := range into {
		into[i] = sum
		sum += 1 / (from + float64(i))
	}
}

// tooGreat is where masses are scaled down before the next step could overflow.
const tooGreat = 1e200

// massesOf sets into[x] to the probability of x in a component. The ratio of one mass to
// the one before is simple, and they add up to 1, so no gamma function is needed.
func (m *mixture) massesOf(k int, into []float64) {
	a, b, last := m.Alpha[k], m.Beta[k], float64(m.N-1)
	into[0] = 1
	sum := 1.0
	for i := range m.N {
		x := float64(i)
		next := into[i] * ((last + 1 - x) * (a + x)) / ((x + 1) * (b + last - x))
		into[i+1] = next
		if sum += next; sum > tooGreat {
			for j := range i + 2 {
				into[j] /= sum
			}
			sum = 1
		}
	}
	for x := range into {
		into[x] /= sum
	}
}

// Cumulative returns the probability of at most x, for x from 0 to N.
func (m mixture) Cumulative() []float64 {
	work := newWorkspace(m.N)
	sums, sum := make([]float64, m.N+1), 0.0
	for k := range work.mass {
		m.massesOf(k, work.mass[k])
	}
	for x := range sums {
		sum += m.Weight[0]*work.mass[0][x] + m.Weight[1]*work.mass[1][x]
		sums[x] = sum
	}
	return sums
}

// distanceOf returns the distance of Kolmogorov and Smirnov: the greatest difference between two cumulative
// distributions over the same counts.
func distanceOf(a, b mixture) float64 {
	x, y, greatest := a.Cumulative(), b.Cumulative(), 0.0
	for i := range min(len(x), len(y)) {
		greatest = max(greatest, math.Abs(x[i]-y[i]))
	}
	return greatest
}

// epsilon and stableRounds are the paper's: a batch is stable once the distance has been
// below 0.05 in two rounds in a row.
const (
	epsilon      = 0.05
	stableRounds = 2
)

// stableRound returns the first round, from 1, at which a batch is stable, and the
// distance of each round up to it from the one before, the first one's being 0. Round 0
// means that it never is. counts are by round, then by group; n is the size of a group.
// Rounds that cannot matter are not fitted, and have no distance.
func stableRound(counts [][]int, n int) (round int, distances []float64, err error) {
	histograms := make([][]float64, len(counts))
	for r, c := range counts {
		if histograms[r], err = histogramOf(c, n); err != nil {
			return 0, nil, fmt.Errorf("round %d: %w", r+1, err)
		}
	}
	if len(counts) <= stableRounds {
		return 0, nil, nil // no round has that many distances before it
	}
	var last mixture
	for r, h := range histograms {
		distance := 0.0
		if r == 0 {
			last = fit(h)
		} else if !slices.Equal(h, histograms[r-1]) {
			now := fit(h)
			distance, last = distanceOf(last, now), now
		}
		distances = append(distances, distance)
		if r >= stableRounds && slices.Max(distances[r-stableRounds+1:]) < epsilon {
			return r + 1, distances, nil
		}
	}
	return 0, distances, nil
}
