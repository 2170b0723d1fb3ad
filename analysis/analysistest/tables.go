package analysistest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"roundtable/analysis/table"
)

// Row returns the first row with a label among its first three cells, by column.
func Row(t *testing.T, of table.Table, label string) map[string]table.Cell {
	t.Helper()
	for _, r := range of.Rows {
		if slices.ContainsFunc(r[:3], func(c table.Cell) bool { return c.Text == label }) {
			return ByColumn(of, r)
		}
	}
	t.Fatalf("table %s has no row %q", of.Name, label)
	return nil
}

// ByColumn returns the cells of a row by column.
func ByColumn(of table.Table, row []table.Cell) map[string]table.Cell {
	cells := map[string]table.Cell{}
	for j, c := range row {
		cells[of.Columns[j]] = c
	}
	return cells
}

// Column returns the value of a column in the first row whose leading cells are these.
func Column(t *testing.T, of table.Table, name string, leading ...string) *float64 {
	t.Helper()
	at := slices.Index(of.Columns, name)
	for _, row := range of.Rows {
		match := at >= 0
		for i, want := range leading {
			match = match && row[i].String() == want
		}
		if match {
			return row[at].Value
		}
	}
	t.Fatalf("%s has no column %q or no row %v:\n%s", of.Name, name, leading, of.Text())
	return nil
}

// ValueAt returns the number in a row and a column.
func ValueAt(t *testing.T, of table.Table, row int, column string) float64 {
	t.Helper()
	for j, name := range of.Columns {
		if name == column && of.Rows[row][j].Value != nil {
			return *of.Rows[row][j].Value
		}
	}
	t.Fatalf("table %s has no %s in row %d", of.Name, column, row)
	return 0
}

// Near reports a value that is not the wanted one up to rounding.
func Near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || !(math.Abs(*got-want) <= 1e-9) {
		t.Errorf("%s is %v, want %v", what, Show(got), want)
	}
}

// Show returns a value as text, nil as "nothing".
func Show(v *float64) string {
	if v == nil {
		return "nothing"
	}
	return fmt.Sprint(*v)
}

// Ends reports an interval that does not end at low and high: of the first row
// with a value in the column before that of the lower end.
func Ends(t *testing.T, of table.Table, lowColumn string, value, low, high float64) {
	t.Helper()
	at := slices.Index(of.Columns, lowColumn)
	i := slices.IndexFunc(of.Rows, func(row []table.Cell) bool { return row[at-1].Value != nil && *row[at-1].Value == value })
	if i < 0 {
		t.Errorf("%s has no gain of %v:\n%s", of.Name, value, of.Text())
		return
	}
	Near(t, of.Name+": low", of.Rows[i][at].Value, low)
	Near(t, of.Name+": high", of.Rows[i][at+1].Value, high)
}
