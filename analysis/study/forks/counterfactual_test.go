package forks_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"roundtable/analysis/statistics"
	"roundtable/analysis/study/forks"
)

const simulations = 1000

// covered checks that intervals hold what was planted as often as they promise, and that
// estimates are right on the mean.
func covered(t *testing.T, what string, held, n int, sum, squares, planted float64) {
	t.Helper()
	rate := float64(held) / float64(n)
	mean := sum / float64(n)
	se := math.Sqrt((squares/float64(n) - mean*mean) / float64(n))
	t.Logf("%s: %.3f planted, %.4f found (standard error %.4f), %.1f %% of intervals hold it", what, planted, mean, se, 100*rate)
	if rate < 0.93 || rate > 0.97 {
		t.Errorf("%s: 95 %% intervals hold it in %.1f %%", what, 100*rate)
	}
	if math.Abs(mean-planted) > 2*se {
		t.Errorf("%s: the mean estimate is %.4f, planted is %.4f, standard error %.4f", what, mean, planted, se)
	}
}

// TestPlantedEffect: in 1,000 simulated forks the effect of a change is found whose size
// differs from instance to instance, with several forks of several replicates of each.
func TestPlantedEffect(t *testing.T) {
	draw := rand.New(rand.NewPCG(0, 99)) // of 21 seeds two were beyond 2 standard errors (2.2 and 3.1), on both sides
	const planted, instances, replicates, groups = 0.15, 25, 2, 2
	held, sum, squares := 0, 0.0, 0.0
	for range simulations {
		var cells []forks.Cell
		for i := range instances {
			effect, level := planted+0.2*draw.NormFloat64(), draw.Float64()
			for range replicates {
				beginning := level + 0.3*draw.NormFloat64()
				c := forks.Cell{Unit: int32(i), AsItWas: []float64{beginning + 0.1*draw.NormFloat64()}}
				for range groups {
					c.AsItWas = append(c.AsItWas, beginning+0.1*draw.NormFloat64())
					c.Changed = append(c.Changed, beginning+effect+0.1*draw.NormFloat64())
				}
				cells = append(cells, c)
			}
		}
		effect, within := statistics.MeanInterval(forks.EffectsOf(cells))
		if within == nil {
			t.Fatal("no effect")
		}
		if within.Low <= planted && planted <= within.High {
			held++
		}
		sum, squares = sum+effect, squares+effect*effect
	}
	covered(t, "effect", held, simulations, sum, squares, planted)
}

// game is one instance with planted structure: players add what they know, the first two
// only together add more, and the last one takes away what others found.
func game(draw *rand.Rand, unit int32, pairs int) (forks.Game, int) {
	adds := []float64{0.3, 0.1, 0.2, 0, 0.05}
	for i := range adds {
		adds[i] += 0.1 * draw.NormFloat64()
	}
	together := 0.2 + 0.1*draw.NormFloat64()
	g := forks.Game{Unit: unit, Orders: forks.Orders(len(adds), pairs, draw), Values: map[forks.Coalition]float64{}}
	for _, order := range g.Orders {
		for _, c := range forks.Along(order) {
			if _, known := g.Values[c]; known {
				continue // identical coalitions are asked once
			}
			v := 0.05 * draw.NormFloat64() // chance
			for i, add := range adds {
				if c.Has(i) {
					v += add
				}
			}
			if c.Has(0) && c.Has(1) {
				v += together
			}
			if c.Has(4) && c.Has(2) {
				v -= 0.1
			}
			g.Values[c] = v
		}
	}
	return g, len(adds)
}

// TestPlantedContributions: in 1,000 simulated attributions Shapley's values are found
// from some orders of each instance alone, and add up.
func TestPlantedContributions(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	planted := []float64{0.3 + 0.1, 0.1 + 0.1, 0.2 - 0.05, 0, 0} // what the last one adds it takes away again
	held, sums, squares := make([]int, 5), make([]float64, 5), make([]float64, 5)
	for range simulations {
		var games []forks.Game
		n := 0
		for i := range 25 {
			var g forks.Game
			g, n = game(draw, int32(i), 1)
			games = append(games, g)
		}
		a, ok := forks.Attribute(n, games)
		if !ok || a.Games != 25 || a.Exact != 0 {
			t.Fatalf("%+v", a)
		}
		total := 0.0
		for i, s := range a.Shares {
			if s.Within.Low <= planted[i] && planted[i] <= s.Within.High {
				held[i]++
			}
			sums[i], squares[i] = sums[i]+s.Mean, squares[i]+s.Mean*s.Mean
			total += s.Mean
		}
		if math.Abs(total-a.Total.Mean) > 1e-9 {
			t.Fatalf("the shares add up to %v, everyone is worth %v", total, a.Total.Mean)
		}
	}
	for i := range planted {
		covered(t, "player "+string(rune('1'+i)), held[i], simulations, sums[i], squares[i], planted[i])
	}
}

// With every coalition known, Shapley's values are exact, and the mean over all orders.
func TestExactShares(t *testing.T) {
	g := forks.Game{Values: map[forks.Coalition]float64{}}
	// Shoes: players 0 and 1 have a left one, player 2 a right one; a pair is worth 1.
	for c := range forks.Everyone(3) + 1 {
		if c.Has(2) && (c.Has(0) || c.Has(1)) {
			g.Values[c] = 1
		} else {
			g.Values[c] = 0
		}
	}
	shares, ok := g.Shapley(3)
	for i, want := range []float64{1. / 6, 1. / 6, 4. / 6} {
		if !ok || math.Abs(shares[i]-want) > 1e-12 {
			t.Errorf("player %d has %v, want %v", i, shares[i], want)
		}
	}
	delete(g.Values, 1) // then only orders that do not begin with player 0 are complete
	g.Orders = [][]int{{0, 1, 2}, {2, 1, 0}}
	if shares, ok = g.Shapley(3); !ok || shares[1] != 1 || shares[0] != 0 {
		t.Errorf("of one complete order: %v, %v", shares, ok)
	}
	g.Orders = g.Orders[:1]
	if _, ok = g.Shapley(3); ok {
		t.Error("shares without a complete order")
	}
	if a, ok := forks.Attribute(3, []forks.Game{g}); ok || a.Games != 0 {
		t.Errorf("attributed without a complete order: %+v", a)
	}
}

// Chance alone is the spread within beginnings, not between them.
func TestChance(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 6))
	var groups [][]float64
	for range 2000 {
		level := 10 * draw.NormFloat64()
		groups = append(groups, []float64{level + 0.5*draw.NormFloat64(), level + 0.5*draw.NormFloat64(), level + 0.5*draw.NormFloat64()})
	}
	if sd := forks.Chance(groups); sd == nil || math.Abs(*sd-0.5) > 0.02 {
		t.Errorf("chance is %v, planted 0.5", sd)
	}
	if forks.Chance([][]float64{{1}, {2}}) != nil {
		t.Error("chance from single outcomes")
	}
}
