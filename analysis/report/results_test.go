package report

import (
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/figures"
	"roundtable/analysis/study"
	"roundtable/analysis/table"
)

// A figure with more than can be read says so to who reads the page, and is not a file.
func TestFiguresThatAreTooLarge(t *testing.T) {
	f := newPicture("rounds", "Score by round", nil, func() (string, error) {
		return "", figures.TooLarge{Figure: "rounds", Has: "36 panels and 1 kinds of lines", Readable: "from 1 to 24 and 16"}
	})
	if f.CanBeDrawn() || strings.Contains(f.Missing, "--json") || f.Missing != "not drawn, because it has 36 panels and 1 kinds of lines; from 1 to 24 and 16 can be read in a picture" {
		t.Errorf("%+v", f)
	}
}

// Columns that are empty, or the same in all rows, are a line below the table.
func TestColumnsFold(t *testing.T) {
	number := func(v float64) table.Cell { return table.Cell{Value: &v, Decimals: 1} }
	columns := []string{"env", "rule", "n", "outcome", "USD"}
	row := func(rule string, outcome float64) []table.Cell {
		return []table.Cell{table.Word("qa"), table.Word(rule), number(3), number(outcome), {}}
	}
	for _, x := range []struct {
		what string
		rows [][]table.Cell
		kept []int
		same string
	}{
		{"two rows", [][]table.Cell{row("majority", .5), row("rated", .7)}, []int{1, 3}, "The same in all rows: env qa, n 3.0. Empty: USD."},
		{"one row", [][]table.Cell{row("majority", .5)}, []int{0, 1, 2, 3}, "Empty: USD."},
		{"rows that do not differ", [][]table.Cell{row("majority", .5), row("majority", .5)}, []int{0}, "The same in all rows: rule majority, n 3.0, outcome 0.5. Empty: USD."},
		{"no rows", nil, []int{0}, ""},
	} {
		r := Result{Table: table.Table{Columns: columns, Rows: x.rows}}
		if got := r.ShownColumns(); !slices.Equal(got, x.kept) {
			t.Errorf("%s: columns %v, want %v", x.what, got, x.kept)
		}
		if got := r.CommonValues(); got != x.same {
			t.Errorf("%s: %q, want %q", x.what, got, x.same)
		}
	}
}

// How conditions came out is first; everything else is below the title of its study, once.
func TestResultsAreGrouped(t *testing.T) {
	r := Results{}
	for _, name := range study.Tables() {
		r.Tables = append(r.Tables, Result{Table: table.Table{Name: name.Name}})
	}
	r.Tables = append(r.Tables, Result{Table: table.Table{Title: "Cost"}})
	for _, f := range figures.Figures() {
		r.Figures = append(r.Figures, Figure{Name: f.Name})
	}
	if first := r.First(); len(first) != 6 || first[0].Figures[0].Name != "conditions" || first[1].Tables[0].Name != "answer" || first[4].Figures == nil {
		t.Errorf("the page begins with %+v", first)
	}
	tables, drawn := 0, 0
	for _, g := range append(r.First(), r.Groups()...) {
		tables, drawn = tables+len(g.Tables), drawn+len(g.Figures)
		if g.Title == "" || strings.ContainsAny(g.ID(), " ,") {
			t.Errorf("a group is called %q and linked as %q", g.Title, g.ID())
		}
	}
	if tables != len(r.Tables) || drawn != len(r.Figures) {
		t.Errorf("%d of %d tables and %d of %d figures are in a group", tables, len(r.Tables), drawn, len(r.Figures))
	}
}
