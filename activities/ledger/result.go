package ledger

import (
	"roundtable/activities/answers"
	"roundtable/analysis/lake"
	"roundtable/workflows/task"
)

// ResultOf returns the outcome of a committed collaboration as a task.Result.
func ResultOf(o lake.Outcome) task.Result {
	r := resultOf(answers.Spent{Calls: int32(o.Calls), InputTokens: o.InputTokens, OutputTokens: o.OutputTokens,
		CostUSD: o.CostUSD, WorstUSD: o.WorstUSD})
	r.Status, r.Failure, r.Cached = o.Status, o.Reason, o.Cached
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
