package campaign

import (
	"fmt"
	"slices"

	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// Measure is a value of one run, in percent, and its column's title.
type Measure struct {
	Column string
	Of     func(Run) (float64, bool)
}

// MeansTable returns a table with one row a condition and one column a measure; false if there is
// no condition to show.
func (v View) MeansTable(title string, measures []Measure, notes ...string) (table.Table, bool) {
	t := table.Table{Title: title}
	columns := []table.Columns[Group]{v.LabelColumns()}
	for _, m := range measures {
		columns = append(columns, table.Column(m.Column,
			func(g Group) table.Cell { return MeanCell(g.Succeeded(), 2, m.Of) }))
	}
	table.Fill(&t, v.Groups, append(columns, v.EndedColumns())...)
	if t.Notes = notes; slices.Contains(notes, table.ExtremesNote) {
		t.Shading = table.Extremes
	}
	v.AddNotes(&t)
	return t, len(v.Groups) > 0
}

// MeasuredGroup is one row of a table that has a row for each measure of each condition.
type MeasuredGroup[M any] struct {
	Measure M
	Group
}

// MeasureEach returns all groups under the first measure, then all under the next, and so on.
func MeasureEach[M any](measures []M, groups []Group) []MeasuredGroup[M] {
	var rows []MeasuredGroup[M]
	for _, m := range measures {
		for _, g := range groups {
			rows = append(rows, MeasuredGroup[M]{m, g})
		}
	}
	return rows
}

// FillByRound adds rows to t: the measure's name, the condition, the cell that at returns for each
// round, and how the cells ended.
func FillByRound[M any](v View, t *table.Table, rows []MeasuredGroup[M], name func(M) string,
	at func(m M, g Group, round int) table.Cell) {
	group := func(r MeasuredGroup[M]) Group { return r.Group }
	table.Fill(t, rows,
		table.Column("measure", func(r MeasuredGroup[M]) table.Cell { return table.Word(name(r.Measure)) }),
		table.Of(v.LabelColumns(), group),
		RoundColumns(v, func(r MeasuredGroup[M], round int) table.Cell { return at(r.Measure, r.Group, round) }),
		table.Of(v.EndedColumns(), group))
}

// AtRounds returns a metric, called name, at the rounds that the paper reports and at the last one
// of rounds.
func AtRounds(name string, rounds int, metric func(statistics.Shares, int) (float64, bool)) []Measure {
	var measures []Measure
	for n := 1; n <= rounds; n++ {
		if n == 3 || n == 5 || n == 10 || n == rounds {
			measures = append(measures, Measure{fmt.Sprint(name, n),
				func(r Run) (float64, bool) { return metric(r.Carried(), n) }})
		}
	}
	return measures
}

// PercentNote returns the note on cells that are means in percent: what they are over, and what is
// counted.
func (v View) PercentNote() string {
	return "Mean over collaborations (standard error " + v.UnitsNote() + "), in percent. " + v.CountsNote()
}
