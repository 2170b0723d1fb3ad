package stopping

import "math"

// Evidence is a likelihood ratio that grows while it looks as if talk would not pay: the density
// of what was seen in groups that talk did not improve, over that in groups that it did (Sadhuka
// et al. 2025, arXiv 2512.03109, whose verifier's scores are the group's agreement here). Under
// the hypothesis that talk improves the group it is an e-process as far as the densities are
// right; Threshold was taken from other such groups, so its bound holds whether they are or not.
type Evidence struct {
	// Rounds are, by round, the coefficients of a logistic regression of "talk will not improve the
	// score" on the agreement after each round so far, the intercept first.
	Rounds [][]float64 `json:"rounds"`
	// Odds are the log-odds, in the sample, that talk will not improve the score.
	Odds float64 `json:"odds"`
	// Threshold is the log evidence above which a collaboration is stopped.
	Threshold float64 `json:"threshold"`
	// Alpha bounds the share stopped of those groups that talk improves; the bound holds with
	// probability 1 - Delta over the samples that the rule could be fitted on.
	Alpha float64 `json:"alpha"`
	Delta float64 `json:"delta"`
}

// Against returns the log evidence, after these rounds, against the hypothesis that talk improves
// the group; minus infinity if there is no regression for the last of them.
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

// Agreements returns the agreement after each round: a round without a count keeps that of the
// round before; it is 0 before the first count.
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
