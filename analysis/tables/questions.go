package tables

import "roundtable/analysis/statistics"

// perQuestion returns a measure from 0 to 1 by question, in percent.
func perQuestion(runs []Run, measure func(Run) float64) units {
	return byUnit(runs, func(r Run) (float64, bool) { return 100 * measure(r), true })
}

// perReplicate returns the mean of a measure in percent in each replicate of the
// experiment: the "runs" of paper 2's ± over three runs.
func perReplicate(runs []Run, measure func(Run) float64) []float64 {
	return byReplicate(runs, func(r Run) (float64, bool) { return 100 * measure(r), true }).values()
}

// meanInterval is a mean and its 95 % t interval as three cells.
func meanInterval(values []float64, decimals int) []Cell {
	mean, within, ok := statistics.MeanInterval(values)
	if !ok {
		return make([]Cell, 3)
	}
	return []Cell{number(mean, decimals), number(within.Low, decimals), number(within.High, decimals)}
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
