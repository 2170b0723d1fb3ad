package tables

import (
	"math"

	"roundtable/analysis/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// perQuestion returns a measure from 0 to 1 by question, in percent.
func perQuestion(runs []Run, measure func(Run) float64) units {
	return byUnit(runs, func(r Run) (float64, bool) { return 100 * measure(r), true })
}

// perReplicate returns the mean of a measure in percent in each replicate of the
// experiment: the "runs" of paper 2's ± over three runs.
func perReplicate(runs []Run, measure func(Run) float64) []float64 {
	return byReplicate(runs, func(r Run) (float64, bool) { return 100 * measure(r), true }).values()
}

// meanInterval returns a mean and its 95 % t interval as three cells; the interval
// is cut at -most and most.
func meanInterval(values []float64, decimals int, most float64) []table.Cell {
	mean, within, ok := statistics.MeanInterval(values)
	if !ok {
		return make([]table.Cell, 3)
	}
	return append([]table.Cell{table.Number(mean, decimals)}, cut(within, decimals, most)...)
}

// cut returns the ends of an interval as two cells, none beyond -most or most.
func cut(within statistics.Interval, decimals int, most float64) []table.Cell {
	return []table.Cell{table.Number(max(within.Low, -most), decimals), table.Number(min(within.High, most), decimals)}
}

// The greatest difference of two shares, and of two in percent.
const (
	mostOfShares  = 1.
	mostOfPercent = 100.
)

// cutNote says where intervals of differences end.
const cutNote = "Intervals of differences of percentages are cut at -100 and 100."

// most returns the greatest difference that two goodnesses of a condition can
// have, as shares; infinite where the goodness has no limits.
func (g group) most() float64 {
	if g.measure() == record.Share {
		return mostOfShares
	}
	return math.Inf(1)
}

// meanOf several conditions: the mean over them on the units that all have.
func meanOf(all []units) units {
	mean := units{}
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
