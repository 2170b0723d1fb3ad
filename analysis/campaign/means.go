package campaign

import (
	"math"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// The greatest difference of two shares, and of two in percent.
const (
	mostOfShares  = 1.
	MostOfPercent = 100.
)

// PerQuestion returns a measure from 0 to 1 by question, in percent.
func PerQuestion(runs []Run, measure func(Run) float64) Units {
	return ByUnit(runs, func(r Run) (float64, bool) { return 100 * measure(r), true })
}

// PerReplicate returns the mean of a measure in percent in each replicate of the
// experiment: the "runs" of paper 2's ± over three runs.
func PerReplicate(runs []Run, measure func(Run) float64) []float64 {
	return ByReplicate(runs, func(r Run) (float64, bool) { return 100 * measure(r), true }).Values()
}

// MeanInterval returns a mean of at least two values and its 95 % t interval as three cells;
// the interval is cut at -most and most.
func MeanInterval(values []float64, decimals int, most float64) []table.Cell {
	if len(values) < 2 {
		return make([]table.Cell, 3)
	}
	mean, within := statistics.MeanInterval(values)
	return append([]table.Cell{table.Number(mean, decimals)}, IntervalCells(within, decimals, most)...)
}

// IntervalCells returns the ends of an interval as two cells, none beyond -most or most;
// empty ones without an interval.
func IntervalCells(within *statistics.Interval, decimals int, most float64) []table.Cell {
	if within == nil {
		return make([]table.Cell, 2)
	}
	return []table.Cell{table.Number(max(within.Low, -most), decimals), table.Number(min(within.High, most), decimals)}
}

// MeanOf several conditions: the mean over them on the units that all have.
func MeanOf(all []Units) Units {
	mean := Units{}
	for i := range all[0] {
		sum, n := 0.0, 0
		for _, q := range all {
			if v, ok := q[i]; ok {
				sum, n = sum+v, n+1
			}
		}
		if n == len(all) {
			mean[i] = sum / float64(n)
		}
	}
	return mean
}

// ScoreIs says what the score of a condition is.
func ScoreIs(g Group) string {
	if g.Measure() == record.Scored {
		return "a program's or judge's score"
	}
	questions := "accuracy"
	if score := g.Settings["env.score"]; score == "f1" || score == "" &&
		strings.HasPrefix(g.Settings["env.format"], "squad") {
		questions = "F1"
	}
	if is := map[string]string{
		Exchange: "share of the greatest total utility", Recsys: "minus the absolute error", "qa": questions,
		"menu": "share of the greatest reward", "allocation": "share of the greatest reward",
		"consensus": "minus the distance from the mean start", "robots": "minus the distance from the mean start",
	}[g.Settings["env"]]; is != "" {
		return is
	}
	return map[string]string{record.Share: "share", record.Error: "minus an error"}[g.Measure()]
}

// CutNote says where intervals of differences end.
const CutNote = "Intervals of differences of percentages are cut at -100 and 100."

// MostDifference returns the greatest difference that two scores of a condition can
// have, as shares; infinite where the score has no limits.
func (g Group) MostDifference() float64 {
	if g.Measure() != record.Error {
		return mostOfShares
	}
	return math.Inf(1)
}

// Flips is the number of sign patterns that a comparison draws where it cannot
// try all of them, and CompareSeed the seed of whatever it draws.
const (
	Flips       = 9999
	CompareSeed = 1
)
