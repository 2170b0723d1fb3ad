package statistics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// By hand: three votes at 0.6 are right with 0.6³ + 3·0.6²·0.4 = 0.648, five with 0.68256;
// two votes are as good as one, four as three.
func TestCondorcetByHand(t *testing.T) {
	for _, x := range []struct{ p, n, want float64 }{
		{.6, 1, .6}, {.6, 2, .6}, {.6, 3, .648}, {.6, 4, .648}, {.6, 5, .68256}, {.6, 2.5, .624}, {.5, 9, .5}, {.4, 3, .352}, {1, 5, 1}, {0, 5, 0}, {.6, 0.2, .6},
	} {
		if got := Condorcet(x.p, x.n); math.Abs(got-x.want) > 1e-12 {
			t.Errorf("%v votes at %v: %v, want %v", x.n, x.p, got, x.want)
		}
	}
	for n := 2; n <= 8; n++ { // and by counting, with ties as a half
		want := 0.
		for k := 0; k <= n; k++ {
			p := math.Exp(lchoose(n, k)) * math.Pow(.7, float64(k)) * math.Pow(.3, float64(n-k))
			switch {
			case 2*k > n:
				want += p
			case 2*k == n:
				want += p / 2
			}
		}
		if got := Condorcet(.7, float64(n)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%d votes: %v, counted %v", n, got, want)
		}
	}
}

func lchoose(n, k int) float64 {
	lg := func(x int) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	return lg(n) - lg(k) - lg(n-k)
}

func TestEffectiveVotes(t *testing.T) {
	for _, x := range []struct{ n, rho, want float64 }{{5, 0, 5}, {5, 1, 1}, {5, .25, 2.5}, {5, -.2, 5}, {1, .5, 1}} {
		if got := EffectiveVotes(x.n, x.rho); got != x.want {
			t.Errorf("%v votes with %v: %v, want %v", x.n, x.rho, got, x.want)
		}
	}
}

// By hand: clusters (1 1) and (0 0) have correlation 1, (1 0) and (1 0) have -1. Of
// (1 1 1), (0 0 1): the mean is 2/3, MSB = 3·(1/9+1/9) = 2/3, MSW = (2/3)/4 = 1/6,
// so it is (1/2) / (2/3+1/3) = 1/2.
func TestICCByHand(t *testing.T) {
	for _, x := range []struct {
		clusters [][]float64
		want     float64
	}{{[][]float64{{1, 1}, {0, 0}}, 1}, {[][]float64{{1, 0}, {1, 0}}, -1}, {[][]float64{{1, 1, 1}, {0, 0, 1}}, .5}} {
		if got, err := ICC(x.clusters); err != nil || math.Abs(got-x.want) > 1e-12 {
			t.Errorf("%v: %v (%v), want %v", x.clusters, got, err, x.want)
		}
		if got, err := ICC(x.clusters, x.clusters); err != nil || math.Abs(got-x.want) > 1e-12 {
			t.Errorf("%v twice: %v (%v), want %v", x.clusters, got, err, x.want)
		}
	}
	for _, none := range [][][]float64{nil, {{1, 0}}, {{1}, {0}}, {{1, 1}, {1, 1}}} {
		if rho, err := ICC(none); err == nil {
			t.Errorf("%v has the correlation %v", none, rho)
		}
	}
}

// A planted correlation is recovered, also where the sizes differ and replicates share
// their question: each replicate is a layer.
func TestICCIsRecovered(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 1))

	var sum float64
	const times = 200
	for range times {
		layers := make([][][]float64, 3)
		for range 20 {
			p := .1 + .8*float64(draw.IntN(2)) // variance 0.16 of 0.25
			for r := range layers {
				votes := make([]float64, 3+draw.IntN(4))
				for i := range votes {
					if draw.Float64() < p {
						votes[i] = 1
					}
				}
				layers[r] = append(layers[r], votes)
			}
		}
		rho, err := ICC(layers...)
		if err != nil {
			t.Fatal(err)
		}
		sum += rho / times
	}
	if want := 0.16 / 0.25; math.Abs(sum-want) > 0.02 {
		t.Errorf("on average %v, want %v", sum, want)
	}
}
