package tables

import (
	"roundtable/analysis/crossval"
	"roundtable/analysis/statistics"
)

// stops are the statistics of Table 11, and what the paper leaves out: rounds over all
// collaborations, and what is saved.
var stops = []struct {
	name string
	of   func(judged, crossval.Summary) Cell
}{
	{"early stopped round", func(_ judged, s crossval.Summary) Cell {
		if s.FiredAt == nil {
			return Cell{}
		}
		return Cell{Value: s.FiredAt, SE: s.Errors.FiredAt, N: s.FiredN, Decimals: 2, Partial: s.FiredN < s.N}
	}},
	{"last round of all", func(_ judged, s crossval.Summary) Cell {
		return Cell{Value: &s.Round, SE: s.Errors.Round, N: s.N, Decimals: 2}
	}},
	{"effective ratio", func(_ judged, s crossval.Summary) Cell {
		return Cell{Value: &s.Effective, SE: s.Errors.Effective, N: s.N, Decimals: 2}
	}},
	{"threshold", func(_ judged, s crossval.Summary) Cell {
		if s.Threshold == nil {
			return Cell{}
		}
		return Cell{Value: s.Threshold, SE: s.Errors.Threshold, N: s.Errors.Folds, Decimals: 3}
	}},
	{"gap closed, %", func(_ judged, s crossval.Summary) Cell {
		if s.GapClosed == nil {
			return Cell{}
		}
		return share(&statistics.Ratio{Value: *s.GapClosed, SE: s.Errors.GapClosed, N: s.N})
	}},
	{"rounds saved, %", func(_ judged, s crossval.Summary) Cell { return share(s.Errors.Rounds) }},
	{"tokens saved, %", func(_ judged, s crossval.Summary) Cell { return share(s.Errors.Tokens) }},
	{"USD saved", func(_ judged, s crossval.Summary) Cell {
		if s.Saved.CostUSD == nil {
			return word("unknown")
		}
		return Cell{Value: s.Saved.CostUSD, SE: s.Errors.CostUSD, N: s.N, Decimals: 4}
	}},
}

// share in percent; nothing of nothing is nothing.
func share(r *statistics.Ratio) Cell {
	if r == nil {
		return Cell{}
	}
	c := number(100*r.Value, 1)
	if c.N = r.N; r.SE != nil {
		c.SE = new(100 * *r.SE)
	}
	return c
}

// percent of a share, or nothing.
func percent(share *float64) Cell {
	if share == nil {
		return Cell{}
	}
	return number(100**share, 1)
}

// Table11 is Table 11 of paper 1: when the stopping rules stop, and what that saves.
func (c Campaign) Table11() (Table, bool) {
	v := c.view("", "env", "rule")
	v.whole = true
	t := v.start("11", "When early stopping stops (Table 11)")
	t.Columns = append([]string{"statistic"}, t.Columns...)
	for _, m := range crossval.Methods() {
		t.Columns = append(t.Columns, m.Name())
	}
	t.Columns = append(t.Columns, "n")
	list, notes := c.judge(v)
	for _, s := range stops {
		for _, j := range list {
			row := append([]Cell{word(s.name)}, v.label(j.group)...)
			t.Rows = append(t.Rows, append(row, j.row(s.of)...))
		}
	}
	t.Notes = append([]string{
		"Early stopped round: mean over the n collaborations that the rule stopped, as in the paper; of the Oracle over those whose goodness changes at all. " +
			"Last round of all: over all collaborations, one that was not stopped with its last round. Rounds count from 1 (the paper's Validation Checkpoint from 0).",
		"Mean, share or sum (standard error over collaborations). Effective ratio: stopped before the last round. Threshold: information distance, mean (standard deviation) of the folds. " +
			"Saved: rounds, billed tokens and dollars after the stop; the cost of labels and embeddings is not taken off. Gap closed: as in Table 10, of one condition.",
	}, notes...)
	c.left(&t)
	c.embedded(&t)
	c.labelled(&t)
	v.notes(&t)
	return t, len(v.groups) > 0
}
