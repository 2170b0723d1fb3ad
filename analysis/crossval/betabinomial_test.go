package crossval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// fitMixture fits the histogram of the counts.
func fitMixture(counts []int, n int) (mixture, error) {
	histogram, err := histogramOf(counts, n)
	if err != nil {
		return mixture{}, err
	}
	return fit(histogram), nil
}

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
	m, err := fitMixture(countsOf(histogram...), 7)
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
		m, err := fitMixture(counts, 3)
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
		if _, err := fitMixture(counts, 3); err == nil {
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
	round, distances, err := stableRound(counts, 5)
	if err != nil {
		t.Fatal(err)
	}
	if round != 7 {
		t.Errorf("stable at round %d, want 7, two rounds after the last change; distances %.3f", round, distances)
	}
	for _, c := range counts {
		rng.Shuffle(len(c), func(i, j int) { c[i], c[j] = c[j], c[i] })
	}
	again, same, err := stableRound(counts, 5)
	if err != nil || again != round || !slices.Equal(same, distances) {
		t.Errorf("in another order: round %d, distances %v, %v", again, same, err)
	}
	if len(distances) != round {
		t.Errorf("%d distances up to round %d", len(distances), round)
	}
	if round, _, _ := stableRound(counts[:4], 5); round != 0 {
		t.Errorf("a batch that moves is stable at round %d", round)
	}
	if _, _, err := stableRound([][]int{{1}, {6}}, 5); err == nil {
		t.Error("6 of 5 agents are accepted in a batch of two rounds")
	}
}

// The masses are those by gamma functions, also where their ratios leave what a float holds.
func TestMasses(t *testing.T) {
	logGamma := func(x float64) float64 { g, _ := math.Lgamma(x); return g }
	logBeta := func(a, b float64) float64 { return logGamma(a) + logGamma(b) - logGamma(a+b) }
	for _, n := range []int{1, 3, 10, 80, 3000} {
		for _, shape := range [][2]float64{{0.001, 0.001}, {0.001, 1000}, {1000, 0.001}, {0.7, 2.5}, {1000, 1000}, {40, 3}} {
			m := mixture{N: n, Alpha: [2]float64{shape[0]}, Beta: [2]float64{shape[1]}}
			got := make([]float64, n+1)
			m.massesOf(0, got)
			for x, p := range got {
				y := float64(n - x)
				want := math.Exp(logBeta(float64(x)+shape[0], y+shape[1]) - logBeta(shape[0], shape[1]) - math.Log(float64(n+1)) - logBeta(float64(x)+1, y+1))
				if !(math.Abs(p-want) <= 1e-9*max(want, 1e-3)) {
					t.Fatalf("P(%d of %d) with shapes %v = %v, want %v", x, n, shape, p, want)
				}
			}
		}
	}
}

// A table refits the mixture thousands of times, in up to 5,000 steps each: the steps
// share their memory, and a batch of too few rounds to be stable is not fitted.
func TestFitsAreCheap(t *testing.T) {
	counts := countsOf(3, 5, 4, 2, 3, 6, 12, 25)
	if n := testing.AllocsPerRun(1, func() { _, _ = fitMixture(counts, 7) }); n > 20 {
		t.Errorf("a fit takes memory %v times", n)
	}
	if n := testing.AllocsPerRun(1, func() { _, _, _ = stableRound([][]int{counts, counts}, 7) }); n > 5 {
		t.Errorf("two rounds take memory %v times, so they are fitted", n)
	}
}

// BenchmarkStableRound is one training set of 24 groups of ten over four rounds.
func BenchmarkStableRound(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	counts := make([][]int, 4)
	for r := range counts {
		for range 24 {
			counts[r] = append(counts[r], 1+rng.IntN(6)+rng.IntN(r+1))
		}
	}
	for b.Loop() {
		if _, _, err := stableRound(counts, 10); err != nil {
			b.Fatal(err)
		}
	}
}
