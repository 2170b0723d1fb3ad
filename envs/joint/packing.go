package joint

import (
	"cmp"
	"slices"
)

// Packing problems are solved exactly: from each item at most one option is taken, every
// resource is kept within its capacity, and the sum of values is greatest. A menu is one
// option an item (a 0/1 knapsack with many constraints), an allocation one option for
// each agent. Branch and bound has a limit on nodes, not on time, so that results repeat
// on every machine.

// Tolerance is by how much sums of short decimals may exceed capacities and bounds.
const Tolerance = 1e-9

// Problem is a packing problem: options by item, capacity by resource. All numbers are finite;
// uses and capacities are not negative.
type Problem struct {
	Items    [][]Option
	Capacity []float64
}

// Option is one way to take an item: its value, and its use of each resource.
type Option struct {
	Value float64
	Use   []float64
}

// Solution is the best choice found for a problem.
type Solution struct {
	// Choice is, by item, the index of the option taken; -1 for an item left out.
	Choice []int
	Value  float64
	// Bound is an upper bound of every feasible value; Gap is (Bound - Value) / Bound, 0 if the
	// optimum is proved.
	Bound, Gap float64
	Nodes      int
}

// IsFeasible reports whether use is within capacity for each resource.
func IsFeasible(use, capacity []float64) bool {
	for r, u := range use {
		if u > capacity[r]+Tolerance {
			return false
		}
	}
	return true
}

// Value returns the value of choice, and whether it is feasible.
func (p Problem) Value(choice []int) (value float64, feasible bool) {
	for i, o := range choice {
		if o >= 0 {
			value += p.Items[i][o].Value
		}
	}
	return value, IsFeasible(p.Uses(choice), p.Capacity)
}

// Uses returns how much of each resource choice uses.
func (p Problem) Uses(choice []int) []float64 {
	use := make([]float64, len(p.Capacity))
	for i, o := range choice {
		if o < 0 {
			continue
		}
		for r, u := range p.Items[i][o].Use {
			use[r] += u
		}
	}
	return use
}

// Solve solves p by branch and bound, visiting at most limit nodes. If these are too few, it
// returns the best choice found, with a Gap above 0.
func Solve(p Problem, limit int) Solution {
	s := newSearch(p, limit)
	s.visitItem(0, 0)
	sol := Solution{Choice: slices.Repeat([]int{-1}, len(p.Items)), Bound: s.best, Nodes: s.nodes}
	for k, o := range s.chosen {
		sol.Choice[s.order[k]] = o
	}
	sol.Value, _ = p.Value(sol.Choice) // summed in the items' order, whatever the search's was
	sol.Bound = max(sol.Value, s.open)
	if sol.Bound > sol.Value+Tolerance {
		sol.Gap = (sol.Bound - sol.Value) / sol.Bound
	}
	return sol
}

// search is depth first, over items in the order of their reduced values.
type search struct {
	Problem
	prices  [][]float64 // sets of prices of the resources; each gives a bound
	reduced [][]float64 // by set: the best that items from k on can bring beyond what their resources cost
	order   []int       // of items
	options [][]int     // by item: options worth trying, the best first
	left    []float64   // of each resource
	taken   []int       // by position
	chosen  []int       // of the best solution
	best    float64
	open    float64 // greatest bound of what was not looked at
	nodes   int
	limit   int
}

func newSearch(p Problem, limit int) *search {
	s := &search{Problem: p, limit: limit, left: slices.Clone(p.Capacity)}
	prices := Prices(p)
	s.prices = [][]float64{prices, make([]float64, len(p.Capacity))}
	best := make([]float64, len(p.Items)) // reduced value of an item's best option
	for i, options := range p.Items {
		s.order = append(s.order, i)
		s.options = append(s.options, worthwhileOptions(options, prices, p.Capacity))
		best[i] = greatestGain(options, prices)
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return cmp.Compare(best[b], best[a]) })
	for _, set := range s.prices {
		sums := make([]float64, len(s.order)+1)
		for k := len(s.order) - 1; k >= 0; k-- {
			sums[k] = sums[k+1] + greatestGain(p.Items[s.order[k]], set)
		}
		s.reduced = append(s.reduced, sums)
	}
	s.taken = slices.Repeat([]int{-1}, len(s.order))
	s.chosen = slices.Clone(s.taken)
	return s
}

// worthwhileOptions returns the options that have a value and fit by themselves, by reduced value.
func worthwhileOptions(options []Option, prices, capacity []float64) []int {
	var list []int
	for o, option := range options {
		if option.Value > 0 && IsFeasible(option.Use, capacity) {
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		return cmp.Compare(options[b].reducedValue(prices), options[a].reducedValue(prices))
	})
	return list
}

func (o Option) reducedValue(prices []float64) float64 { return o.Value - dotProduct(o.Use, prices) }

// greatestGain returns the greatest reduced value of an option, or 0 for taking none.
func greatestGain(options []Option, prices []float64) float64 {
	most := 0.0
	for _, o := range options {
		most = max(most, o.reducedValue(prices))
	}
	return most
}

func dotProduct(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

// boundFrom of what can be reached from the k-th item on, beyond what was taken.
func (s *search) boundFrom(k int) float64 {
	least := dotProduct(s.left, s.prices[0]) + s.reduced[0][k]
	for i := 1; i < len(s.prices); i++ {
		least = min(least, dotProduct(s.left, s.prices[i])+s.reduced[i][k])
	}
	return least
}

func (s *search) visitItem(k int, value float64) {
	if value > s.best {
		s.best = value
		copy(s.chosen, s.taken)
	}
	bound := value + s.boundFrom(k)
	if k == len(s.order) || bound <= s.best+Tolerance {
		return
	}
	if s.nodes >= s.limit {
		s.open = max(s.open, bound)
		return
	}
	s.nodes++
	item := s.order[k]
	for _, o := range s.options[item] {
		option := s.Items[item][o]
		if IsFeasible(option.Use, s.left) {
			s.takeOption(option, -1)
			s.taken[k] = o
			s.visitItem(k+1, value+option.Value)
			s.taken[k] = -1
			s.takeOption(option, 1)
		}
	}
	s.visitItem(k+1, value)
}

func (s *search) takeOption(o Option, sign float64) {
	for r, u := range o.Use {
		s.left[r] += sign * u
	}
}
