package crossval

import (
	"cmp"
	"slices"

	"roundtable/analysis/regression"
	"roundtable/workflows/stopping"
)

// Params are the parameters of the Dialogue Act method (paper 1, appendix D.7.1).
type Params struct {
	Top   int      `json:"top_da"`          // how many of the strongest candidates are signals
	P     *float64 `json:"p_value"`         // p-value below which a pair is a candidate; nil for any
	Count int      `json:"count_per_round"` // occurrences of a signal in a round that score a point
	Score int      `json:"score"`           // points that stop the collaboration
}

// most signals that there can be.
const most = 5

var levels = [...]float64{0.05, 0.1, 0.2}

// Grid returns all 180 combinations of parameters that the paper searches. Earlier ones win ties.
func Grid() []Params {
	var grid []Params
	for top := 1; top <= most; top++ {
		for level := range len(levels) + 1 {
			for count := 1; count <= 3; count++ {
				for score := 1; score <= top; score++ {
					grid = append(grid, Params{Top: top, P: pLevel(level), Count: count, Score: score})
				}
			}
		}
	}
	return grid
}

// pLevel is one of the p-values of the grid, the last of which is none.
func pLevel(i int) *float64 {
	if i == len(levels) {
		return nil
	}
	p := levels[i]
	return &p
}

// candidatePairs returns pairs that go with greater score, strongest first: their
// coefficient is determined by the data, positive, and of a p-value below p. Of
// pairs that always occur together the first stands for all.
func candidatePairs(fit regression.Fit, columns []regression.Column, p *float64) []stopping.Signal {
	var list []stopping.Signal
	for i, c := range columns {
		t := fit.Terms[i+1]
		if t.Estimable && t.Beta > 0 && (p == nil || t.Test != nil && t.Test.P < *p) {
			list = append(list, stopping.Signal{Pair: c.Pair, Coefficient: t.Beta})
		}
	}
	slices.SortStableFunc(list, func(a, b stopping.Signal) int { return cmp.Compare(b.Coefficient, a.Coefficient) })
	return list[:min(most, len(list))]
}

// firstStops returns the first round at which each combination of Top and Score ends a
// run, for one list of candidates and one Count; 0 for never. It is StopsAt of all of
// them at once.
func (d *Data) firstStops(run int, list []stopping.Signal, count int) (first [most][most]int) {
	for round := 2; round <= d.rounds; round++ {
		points := 0
		for top := range most {
			if top < len(list) {
				points += stopping.Points(list[top:top+1], count,
					func(p stopping.Pair) int { return d.pairs.Count(run, round, p) })
			}
			for score := range min(points, top+1) {
				if first[top][score] == 0 {
					first[top][score] = round
				}
			}
		}
	}
	return first
}
