package betabinomial

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// counts of a histogram.
func countsOf(histogram ...int) (counts []int) {
	for x, n := range histogram {
		for range n {
			counts = append(counts, x)
		}
	}
	return counts
}

// The greatest likelihood and its distribution were found with SciPy 1.17
// (stats.betabinom, optimize.minimize by Nelder-Mead from 60 starts): negative
// log-likelihood 103.08836.
func TestFitIsTheLikeliest(t *testing.T) {
	histogram := []int{3, 5, 4, 2, 3, 6, 12, 25}
	m, err := Fit(countsOf(histogram...), 7)
	if err != nil {
		t.Fatal(err)
	}
	likelihood, cumulative := 0.0, m.Cumulative()
	below := 0.0
	for x, n := range histogram {
		likelihood += float64(n) * math.Log(cumulative[x]-below)
		below = cumulative[x]
	}
	if math.Abs(likelihood+103.08836) > 0.02 {
		t.Errorf("log-likelihood %.5f, want -103.08836", likelihood)
	}
	want := []float64{0.05122, 0.13460, 0.19686, 0.23549, 0.28327, 0.38086, 0.58416, 1}
	for x := range want {
		if math.Abs(cumulative[x]-want[x]) > 0.01 {
			t.Errorf("P(at most %d) = %.4f, want %.4f", x, cumulative[x], want[x])
		}
	}
}

func TestFitOfExtremes(t *testing.T) {
	for name, counts := range map[string][]int{"all": {3, 3, 3, 3}, "none": {0, 0}, "one group": {2}, "both ends": {0, 3, 0, 3, 0, 3}} {
		m, err := Fit(counts, 3)
		if err != nil {
			t.Fatal(err)
		}
		c, below := m.Cumulative(), 0
		for x := range c {
			for _, v := range counts {
				if v == x {
					below++
				}
			}
			if share := float64(below) / float64(len(counts)); math.Abs(c[x]-share) > 0.02 && name != "one group" {
				t.Errorf("%s: P(at most %d) = %v, the share is %v", name, x, c[x], share)
			}
		}
		if math.Abs(c[3]-1) > 1e-9 {
			t.Errorf("%s: probabilities add up to %v", name, c[3])
		}
	}
	for _, counts := range [][]int{nil, {4}, {-1}} {
		if _, err := Fit(counts, 3); err == nil {
			t.Errorf("%v of 3 agents is accepted", counts)
		}
	}
}

// A batch drifts for five rounds and then stays: the round found is soon after, and
// does not depend on the order of the groups.
func TestStableRound(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var counts [][]int
	holds := make([]float64, 400) // of the group that agents agree
	for i := range holds {
		holds[i] = rng.Float64()
	}
	state := make([]int, len(holds))
	for round := range 9 {
		for i := range state {
			if round < 5 { // agents join the majority
				state[i] = min(5, 1+int(holds[i]*float64(round+1)))
			}
		}
		counts = append(counts, slices.Clone(state))
	}
	round, distances, err := StableRound(counts, 5)
	if err != nil {
		t.Fatal(err)
	}
	if round != 7 {
		t.Errorf("stable at round %d, want 7, two rounds after the last change; distances %.3f", round, distances)
	}
	for _, c := range counts {
		rng.Shuffle(len(c), func(i, j int) { c[i], c[j] = c[j], c[i] })
	}
	again, same, err := StableRound(counts, 5)
	if err != nil || again != round || !slices.Equal(same, distances) {
		t.Errorf("in another order: round %d, distances %v, %v", again, same, err)
	}
	if round, _, _ := StableRound(counts[:4], 5); round != 0 {
		t.Errorf("a batch that moves is stable at round %d", round)
	}
}
