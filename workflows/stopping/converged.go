package stopping

import (
	"fmt"
	"math"

	"roundtable/workflows/transcript"
)

// ConvergedParams are the parameters of NewConverged.
type ConvergedParams struct {
	Epsilon float64 `json:"epsilon"` // greatest difference in a coordinate: 1
	Rounds  int     `json:"rounds"`  // for n rounds in a row: 1
}

// DefaultConverged returns parameters that stop as soon as all states are within 1 of each other.
func DefaultConverged() ConvergedParams { return ConvergedParams{Epsilon: 1, Rounds: 1} }

type converged struct{ params ConvergedParams }

// NewConverged returns the rule that stops once the agents' states were within p.Epsilon of each
// other at the end of p.Rounds rounds in a row. Paper 5 has no such rule: it runs all rounds.
func NewConverged(p ConvergedParams) (Rule, error) {
	if !(p.Epsilon >= 0 && p.Epsilon <= math.MaxFloat64) {
		return nil, fmt.Errorf("epsilon is %v; it is a distance from 0 on", p.Epsilon)
	}
	if p.Rounds < 1 {
		return nil, fmt.Errorf("rounds is %d; expected at least 1", p.Rounds)
	}
	return converged{p}, nil
}

func (c converged) Stop(t *transcript.Transcript, round int) bool {
	for r := round; r > round-c.params.Rounds; r-- {
		if width, ok := widthOf(t, r); !ok || width > c.params.Epsilon {
			return false
		}
	}
	return true
}

// widthOf a round is that of the states at its end; false if it has none.
func widthOf(t *transcript.Transcript, round int) (float64, bool) {
	last := -1
	for i, e := range t.Entries {
		if e.Kind == transcript.Env && e.Round == round && len(e.Act.Values) > 0 {
			last = i
		}
	}
	first := last - t.Agents + 1
	if last < 0 || first < 0 {
		return 0, false
	}
	return Width(t.Entries[first : last+1]), true
}

// Width returns the greatest difference between any two of the entries' values in any coordinate. There must be
// at least one entry.
func Width(entries []transcript.Entry) float64 {
	width := 0.0
	for k := range entries[0].Act.Values {
		low, high := math.Inf(1), math.Inf(-1)
		for _, e := range entries {
			if k < len(e.Act.Values) {
				low, high = min(low, e.Act.Values[k]), max(high, e.Act.Values[k])
			}
		}
		width = max(width, high-low)
	}
	return width
}
