package campaign

import (
	"math"
	"strings"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// The greatest possible difference of two shares, and of two percentages.
const (
	mostOfShares  = 1.
	MostOfPercent = 100.
)

// PerQuestion returns 100 × measure by unit (a question): measure is from 0 to 1.
func PerQuestion(runs []Run, measure func(Run) float64) Units {
	return ByUnit(runs, func(r Run) (float64, bool) { return 100 * measure(r), true })
}

// PerReplicate returns a measure in percent, averaged within each replicate of the experiment: the
// "runs" of paper 2's ± over three runs.
func PerReplicate(runs []Run, measure func(Run) float64) []float64 {
	return ByReplicate(runs, func(r Run) (float64, bool) { return 100 * measure(r), true }).Values()
}

// MeanInterval returns the mean of at least two values and its 95 % t interval, cut at -most and
// most, as three cells.
func MeanInterval(values []float64, decimals int, most float64) []table.Cell {
	if len(values) < 2 {
		return make([]table.Cell, 3)
	}
	mean, within := statistics.MeanInterval(values)
	return append([]table.Cell{table.Number(mean, decimals)}, IntervalCells(within, decimals, most)...)
}

// IntervalCells returns the ends of an interval, cut at -most and most, as two cells; empty cells
// without an interval.
func IntervalCells(within *statistics.Interval, decimals int, most float64) []table.Cell {
	if within == nil {
		return make([]table.Cell, 2)
	}
	return []table.Cell{table.Number(max(within.Low, -most), decimals), table.Number(min(within.High, most), decimals)}
}

// MeanOf returns the mean over several conditions, for each unit that all of them have.
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

// ScoreIs returns what the score of a group's environment is, in words, such as "accuracy".
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

// CutNote is the note that says where intervals of differences are cut.
const CutNote = "Intervals of differences of percentages are cut at -100 and 100."

// MostDifference returns the greatest possible difference of two scores, as shares; infinite if the
// score has no limits.
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
