package ledger

import (
	"roundtable/activities/answers"
	"roundtable/analysis/lake"
	"roundtable/workflows/task"
)

// ResultOf a committed collaboration.
func ResultOf(m lake.Marker) task.Result {
	r := resultOf(answers.Spent{Calls: int32(m.Calls), InputTokens: m.InputTokens, OutputTokens: m.OutputTokens, CostUSD: m.CostUSD, WorstUSD: m.WorstUSD})
	r.Status, r.Failure, r.Cached = m.Status, m.Reason, m.Cached
	return r
}

func resultOf(s answers.Spent) task.Result {
	r := task.Result{Calls: int64(s.Calls), InputTokens: s.InputTokens, OutputTokens: s.OutputTokens}
	if s.CostUSD == nil || s.WorstUSD == nil {
		r.Unpriced = true
	}
	if s.CostUSD != nil {
		r.CostUSD = *s.CostUSD
	}
	if s.WorstUSD != nil {
		r.WorstUSD = *s.WorstUSD
	}
	return r
}
