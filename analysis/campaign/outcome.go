package campaign

import (
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// Outcome returns what the decision at the end of a run counts as in an
// average, by record.Collaboration.Worth; false if it is left out. A run that
// was stopped by its rule has the same outcome.
func (r Run) Outcome() (v float64, ok bool) { return table.Given(r.Worth(r.Score)) }

// OutcomeAt returns what Outcome does, of the decision that stands after a round. What stood when a
// run ended early is carried on; past the last planned round there is nothing.
func (r Run) OutcomeAt(round int) (v float64, ok bool) {
	scores := r.Carried()
	if round < 1 || round > len(scores) {
		return 0, false
	}
	return table.Given(r.Worth(scores[round-1]))
}

// NotYetAgreed returns the percentage of runs in which no decision stands after a round (bars of
// Figures 3 and 4 of paper 1), over the n runs for which that round was planned and that
// have rounds; false if there are none.
func NotYetAgreed(runs []Run, round int) (percent float64, n int, ok bool) {
	var within []statistics.Shares
	for _, r := range runs {
		if round <= int(r.RoundsPlanned) && len(r.Scores) > 0 {
			within = append(within, r.Scores)
		}
	}
	percent, ok = statistics.NotYetAgreed(within, round)
	return percent, len(within), ok
}

// IsRight returns 1 if a turn's answer is right, else 0.
func IsRight(t record.Turn) float64 {
	if t.ProposalUtility != nil && *t.ProposalUtility >= 1 {
		return 1
	}
	return 0
}
