package campaign

import (
	"fmt"
	"slices"

	"roundtable/analysis/metrics"
	"roundtable/analysis/table"
)

// Measure is a value of one run in percent.
type Measure struct {
	Column string
	Of     func(Run) (float64, bool)
}

// MeansTable has one row a condition and one column a measure; false if there is no such condition.
func (v View) MeansTable(title string, measures []Measure, notes ...string) (table.Table, bool) {
	t := v.Start(title)
	for _, m := range measures {
		t.Columns = append(t.Columns, m.Column)
	}
	t.Columns = append(t.Columns, v.EndedColumns()...)
	for _, g := range v.Groups {
		row := v.Label(g)
		for _, m := range measures {
			row = append(row, MeanCell(g.Succeeded(), 2, m.Of))
		}
		t.Rows = append(t.Rows, append(row, v.EndedCells(g)...))
	}
	if t.Notes = notes; slices.Contains(notes, table.ExtremesNote) {
		t.Shading = table.Extremes
	}
	v.AddNotes(&t)
	return t, len(v.Groups) > 0
}

// AtRounds returns a metric at the rounds that the paper reports and at the last one.
func AtRounds(name string, rounds int, metric func(metrics.Shares, int) (float64, bool)) []Measure {
	var measures []Measure
	for n := 1; n <= rounds; n++ {
		if n == 3 || n == 5 || n == 10 || n == rounds {
			measures = append(measures, Measure{fmt.Sprint(name, n), func(r Run) (float64, bool) { return metric(r.Carried(), n) }})
		}
	}
	return measures
}

// PercentNote says what means in percent are over.
func (v View) PercentNote() string {
	return "Mean over collaborations (standard error " + v.UnitsNote() + "), in percent. " + v.CountsNote()
}
