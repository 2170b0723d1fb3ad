package stopping

import "math"

// Evidence is a process that grows while it looks as if talk would not pay: the
// density of what was seen among groups that talk did not improve, over that among
// groups that it did (Sadhuka et al. 2025, arXiv 2512.03109, whose verifier's scores
// are the group's agreement here). Under the hypothesis that talk improves the group
// it is an e-process as far as the densities are right; Threshold was taken from
// other such groups, so its bound holds whether they are or not.
type Evidence struct {
	// Rounds are logistic regressions by round: of the log-odds that talk will not pay
	// on the agreement in each round so far, the intercept first.
	Rounds [][]float64 `json:"rounds"`
	// Odds are the same without having seen anything: their logarithm in the sample.
	Odds float64 `json:"odds"`
	// Threshold is the logarithm above which a collaboration is stopped.
	Threshold float64 `json:"threshold"`
	// Alpha is the greatest share of the groups that talk improves that are stopped;
	// it holds in all but Delta of the samples that a rule could be fitted on.
	Alpha float64 `json:"alpha"`
	Delta float64 `json:"delta"`
}

// Against returns the logarithm of the evidence after the last of some rounds that
// talk pays; minus infinity after a round that no regression is for.
func (e Evidence) Against(rounds []Round) float64 {
	if len(rounds) == 0 || len(rounds) > len(e.Rounds) {
		return math.Inf(-1)
	}
	fit := e.Rounds[len(rounds)-1]
	if len(fit) == 0 {
		return math.Inf(-1)
	}
	odds := fit[0]
	for i, share := range Agreements(rounds) {
		if i+1 < len(fit) {
			odds += fit[i+1] * share
		}
	}
	return odds - e.Odds
}

// Agreements returns the agreement after each round: a round without a count keeps
// that of the one before, and 0 stands before the first count.
func Agreements(rounds []Round) []float64 {
	shares, last := make([]float64, len(rounds)), 0.0
	for i, r := range rounds {
		if r.Agreement != nil {
			last = *r.Agreement
		}
		shares[i] = last
	}
	return shares
}
