package stopping

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/crossval"
	"roundtable/analysis/table"
)

// gapStatistic has no average over conditions but the sums of Table 10.
const gapStatistic = "gap closed, %"

// stops are the statistics of Table 11, and what the paper leaves out: rounds over all
// collaborations, and what is saved.
var stops = []struct {
	name string
	of   func(judged, crossval.Summary) table.Cell
}{
	{"early stopped round", func(_ judged, s crossval.Summary) table.Cell {
		if s.FiredAt == nil {
			return table.Cell{}
		}
		return table.Cell{Value: s.FiredAt, SE: s.Errors.FiredAt, N: s.FiredN, Decimals: 2, Partial: s.FiredN < s.N}
	}},
	{"last round of all", func(_ judged, s crossval.Summary) table.Cell {
		return table.Cell{Value: &s.Round, SE: s.Errors.Round, N: s.N, Decimals: 2}
	}},
	{"effective ratio", func(_ judged, s crossval.Summary) table.Cell {
		return table.Cell{Value: &s.Effective, SE: s.Errors.Effective, N: s.N, Decimals: 2}
	}},
	{"threshold", func(_ judged, s crossval.Summary) table.Cell {
		if s.Threshold == nil {
			return table.Cell{}
		}
		return table.Cell{Value: s.Threshold, SE: s.Errors.Threshold, N: s.Errors.Folds, Decimals: 3}
	}},
	{gapStatistic, func(_ judged, s crossval.Summary) table.Cell {
		if s.GapClosed == nil {
			return table.Cell{}
		}
		return gapClosed(*s.GapClosed)
	}},
	{"rounds saved, %", func(_ judged, s crossval.Summary) table.Cell { return table.MeanPercent(s.Errors.Rounds) }},
	{"tokens saved, %", func(_ judged, s crossval.Summary) table.Cell { return table.MeanPercent(s.Errors.Tokens) }},
	{"USD saved", func(_ judged, s crossval.Summary) table.Cell {
		if s.Saved.CostUSD == nil {
			return table.Word("unknown")
		}
		return table.Cell{Value: s.Saved.CostUSD, SE: s.Errors.CostUSD, N: s.N, Decimals: 4}
	}},
}

// averageRow returns the means of the cells that have a figure, column by column
// after the head; the last column, n, stays empty.
func averageRow(head []table.Cell, rows [][]table.Cell) []table.Cell {
	row := head
	for j := len(head); j < len(rows[0])-1; j++ {
		var s table.Sample
		decimals, unknown := 0, false
		for _, r := range rows {
			c := r[j]
			unknown = unknown || c.Text != ""
			if c.Value != nil {
				s.Add(*c.Value, true)
				decimals = c.Decimals
			}
		}
		if unknown {
			row = append(row, table.Word("unknown"))
			continue
		}
		cell := s.Mean(decimals)
		cell.SE, cell.N = nil, 0 // conditions share their instances: their spread is not an error of the mean
		row = append(row, cell)
	}
	return append(row, table.Cell{})
}

// StoppingTimes returns Table 11 of paper 1: when the stopping rules stop, and what that saves.
func StoppingTimes(c campaign.Campaign) (table.Table, bool) {
	v := c.View("", "env", "rule")
	v.Whole = true
	t := startByMethod(v, "When early stopping stops", "statistic")
	list, notes := judgeMethods(c, v)
	for _, s := range stops {
		var environments []string
		rows := map[string][][]table.Cell{}
		for _, j := range list {
			row := append(append([]table.Cell{table.Word(s.name)}, v.Label(j.Group)...), j.methodRow(s.of)...)
			t.Rows = append(t.Rows, row)
			if rows[j.environment] == nil {
				environments = append(environments, j.environment)
			}
			rows[j.environment] = append(rows[j.environment], row)
		}
		if s.name == gapStatistic {
			t.Rows = append(t.Rows, closedRows(v, list)...)
			continue
		}
		for _, environment := range environments {
			if of := rows[environment]; len(of) > 1 {
				head := append([]table.Cell{table.Word(s.name)}, v.LabelAs(environment, "average")...)
				t.Rows = append(t.Rows, averageRow(head, of))
			}
		}
	}
	t.Notes = append([]string{
		"Early stopped round: mean over the n collaborations that the rule stopped, as in the paper; of the Oracle " +
			"over those whose score changes at all. " +
			"Last round of all: over all collaborations, one that was not stopped with its last round. Rounds count " +
			"from 1 (the paper's Validation Checkpoint from 0).",
		"Mean, share or sum (standard error). Effective ratio: stopped before the last round. Threshold: information " +
			"distance, mean (standard deviation) of the folds. " +
			"Saved: rounds, billed tokens and dollars after the stop. The cost of labels and embeddings is not taken " +
			"off. Average: over the conditions that have a figure, as in the paper's last column.",
		gapNote,
	}, notes...)
	addStoppingNotes(c, v, &t)
	return t, len(v.Groups) > 0
}
