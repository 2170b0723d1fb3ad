package numeric

import "math"

// Strategy is what a move follows (paper 5 §3.1).
type Strategy string

// The strategies. A move among agents that are together already tells nothing
// and is Agreed; one that follows none within the tolerance is Other, which
// holds the paper's erroneous moves.
const (
	Average            Strategy = "average"
	AverageWithoutSelf Strategy = "average_without_self"
	Suggestible        Strategy = "suggestible"
	Stubborn           Strategy = "stubborn"
	Other              Strategy = "other"
	Agreed             Strategy = "agreed"
	Alone              Strategy = "alone" // it saw nobody else
)

// listStrategies in the order of tables.
func listStrategies() []Strategy {
	return []Strategy{Average, AverageWithoutSelf, Suggestible, Stubborn, Other}
}

// Strategy returns the strategy whose target is nearest to the move's, within tolerance. Of equally near ones
// it returns the first of average, stubborn, suggestible, average without self: with one other agent, going
// where it is and averaging without oneself are the same, and the paper calls it suggestible.
func (m Move) Strategy(tolerance float64) Strategy {
	if len(m.Others) == 0 {
		return Alone
	}
	if (State)(append([][]float64{m.Own}, m.Others...)).Width() <= tolerance {
		return Agreed
	}
	best, least := Other, math.Inf(1)
	try := func(s Strategy, target []float64) {
		if d := distanceOf(m.To, target); d <= tolerance && d < least-1e-9 {
			best, least = s, d
		}
	}
	try(Average, State(append([][]float64{m.Own}, m.Others...)).Mean())
	try(Stubborn, m.Own)
	for _, other := range m.Others {
		try(Suggestible, other)
	}
	try(AverageWithoutSelf, State(m.Others).Mean())
	return best
}

// CountStrategies counts moves by their strategy, see Move.Strategy.
func CountStrategies(moves []Move, tolerance float64) map[Strategy]int {
	counts := map[Strategy]int{}
	for _, m := range moves {
		counts[m.Strategy(tolerance)]++
	}
	return counts
}
