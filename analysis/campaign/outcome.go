package campaign

import (
	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// Outcome returns what the run's final decision counts in an average (record.Collaboration.Worth);
// ok is false if averages leave it out. It makes no difference whether a rule ended the run.
func (r Run) Outcome() (v float64, ok bool) { return table.ValueOrNone(r.Worth(r.Score)) }

// OutcomeAt returns Outcome for the decision that stands after a round, from 1. After an early end
// the last decision stands; ok is false beyond the last planned round.
func (r Run) OutcomeAt(round int) (v float64, ok bool) {
	scores := r.Carried()
	if round < 1 || round > len(scores) {
		return 0, false
	}
	return table.ValueOrNone(r.Worth(scores[round-1]))
}

// NotYetAgreed returns the percentage of runs without a decision after a round (bars of Figures 3
// and 4 of paper 1), and n, the runs that have rounds and for which that round was planned; ok is
// false if n is 0.
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
