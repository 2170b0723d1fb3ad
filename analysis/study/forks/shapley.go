package forks

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"roundtable/analysis/statistics"
)

// MaxPlayers is the largest number of players (parts) of an attribution.
const MaxPlayers = 63

// mostExact is the most players of whom all coalitions are looked at.
const mostExact = 16

// Coalition is a set of players, as bits.
type Coalition uint64

// Everyone returns the coalition of all n players.
func Everyone(n int) Coalition { return 1<<n - 1 }

// Has reports whether a player is in the coalition.
func (c Coalition) Has(player int) bool { return c>>player&1 == 1 }

// Absent returns those of n players who are not in the coalition.
func (c Coalition) Absent(n int) []int {
	var all []int
	for i := range n {
		if !c.Has(i) {
			all = append(all, i)
		}
	}
	return all
}

// Orders returns 2·pairs orders in which n players join: each drawn order is followed by its reverse, whose
// error has the opposite sign where contributions depend on who is present (antithetic sampling).
func Orders(n, pairs int, draw *rand.Rand) [][]int {
	var all [][]int
	for range pairs {
		order := draw.Perm(n)
		back := slices.Clone(order)
		slices.Reverse(back)
		all = append(all, order, back)
	}
	return all
}

// Along returns the coalitions that arise when players join in order, from nobody to everyone.
func Along(order []int) []Coalition {
	all := []Coalition{0}
	for _, player := range order {
		all = append(all, all[len(all)-1]|1<<player)
	}
	return all
}

// Game is one beginning with the outcomes of coalitions, and the orders to use.
type Game struct {
	Unit   int32
	Orders [][]int
	Values map[Coalition]float64
}

// Shapley returns the Shapley value of each of n players: over all orders if every coalition has a value, else
// the mean over those of g.Orders whose coalitions all have one. Either way the values sum to that of everyone
// minus that of nobody. ok is false if no order is complete.
func (g Game) Shapley(n int) (shares []float64, ok bool) {
	if n <= mostExact && len(g.Values) == 1<<n {
		return g.exactValues(n), true
	}
	shares = make([]float64, n)
	complete := 0
	for _, order := range g.Orders {
		path := Along(order)
		if slices.ContainsFunc(path, func(c Coalition) bool { _, known := g.Values[c]; return !known }) {
			continue
		}
		complete++
		for i, player := range order {
			shares[player] += g.Values[path[i+1]] - g.Values[path[i]]
		}
	}
	for i := range shares {
		shares[i] /= float64(max(complete, 1))
	}
	return shares, complete > 0
}

// exactValues returns Shapley's values (Shapley 1953): the mean over all orders.
func (g Game) exactValues(n int) []float64 {
	weight := make([]float64, n) // of a coalition that a player joins, by its size: 1 / (n · C(n-1, size))
	choose := 1.0
	for size := range n {
		weight[size] = 1 / (float64(n) * choose)
		choose = choose * float64(n-1-size) / float64(size+1)
	}
	shares := make([]float64, n)
	for player := range n {
		for c := Coalition(0); c <= Everyone(n); c++ {
			if !c.Has(player) {
				shares[player] += weight[bits.OnesCount64(uint64(c))] * (g.Values[c|1<<player] - g.Values[c])
			}
		}
	}
	return shares
}

// Share is the contribution of a player: the mean over units with its 95 % t interval, nil below two units.
type Share struct {
	Mean   float64
	Within *statistics.Interval
}

// Attribution divides the mean outcome among players.
type Attribution struct {
	Shares []Share
	Total  Share // everyone's value minus nobody's: the sum of the shares
	Games  int   // that the shares rest on
	Exact  int   // of these, those in which every coalition has a value
}

// Attribute returns the contributions of n players to the outcomes of games; each unit counts as one. ok is
// false if no game has a complete order.
func Attribute(n int, games []Game) (a Attribution, ok bool) {
	by := make([]map[int32][]float64, n+1)
	for i := range by {
		by[i] = map[int32][]float64{}
	}
	for _, g := range games {
		shares, known := g.Shapley(n)
		if !known {
			continue
		}
		a.Games++
		if n <= mostExact && len(g.Values) == 1<<n {
			a.Exact++
		}
		total := 0.0
		for i, s := range shares {
			by[i][g.Unit] = append(by[i][g.Unit], s)
			total += s
		}
		by[n][g.Unit] = append(by[n][g.Unit], total)
	}
	for _, units := range by {
		a.Shares = append(a.Shares, shareOf(meansOf(units)))
	}
	a.Shares, a.Total = a.Shares[:n], a.Shares[n]
	return a, a.Games > 0
}

func shareOf(units []float64) Share {
	m, within := statistics.MeanInterval(units)
	return Share{m, within}
}
