package table

import (
	"fmt"
	"slices"
)

// Columns are adjacent columns of a table with one row per R: their headers, and their cells for a row.
type Columns[R any] struct {
	Headers []string
	Cells   func(R) []Cell // one for each header
}

// Column returns a single column.
func Column[R any](header string, cell func(R) Cell) Columns[R] {
	return Columns[R]{[]string{header}, func(r R) []Cell { return []Cell{cell(r)} }}
}

// Of returns columns of G as columns of R, where held returns the G of an R.
func Of[R, G any](columns Columns[G], held func(R) G) Columns[R] {
	return Columns[R]{columns.Headers, func(r R) []Cell { return columns.Cells(held(r)) }}
}

// Join returns all columns as one value. It panics on a row with more or fewer cells than headers.
func Join[R any](columns ...Columns[R]) Columns[R] {
	var all Columns[R]
	for _, c := range columns {
		all.Headers = append(all.Headers, c.Headers...)
	}
	all.Cells = func(r R) []Cell {
		row := make([]Cell, 0, len(all.Headers))
		for _, c := range columns {
			cells := c.Cells(r)
			if len(cells) != len(c.Headers) {
				panic(fmt.Sprintf("%d cells under the headers %q", len(cells), c.Headers))
			}
			row = append(row, cells...)
		}
		return row
	}
	return all
}

// First returns, for rows that are lists of R, the columns of the first item for which is returns true; empty
// cells if there is none.
func First[R any](columns Columns[R], is func(R) bool) Columns[[]R] {
	return Columns[[]R]{columns.Headers, func(items []R) []Cell {
		if i := slices.IndexFunc(items, is); i >= 0 {
			return columns.Cells(items[i])
		}
		return make([]Cell, len(columns.Headers))
	}}
}

// Fill appends columns to t.Columns and one row per element of rows to t.Rows.
func Fill[R any](t *Table, rows []R, columns ...Columns[R]) {
	all := Join(columns...)
	t.Columns = append(t.Columns, all.Headers...)
	for _, r := range rows {
		t.Rows = append(t.Rows, all.Cells(r))
	}
}

// Gather groups items by key; groups and their items are in the order of first occurrence.
func Gather[R any, K comparable](items []R, key func(R) K) [][]R {
	var rows [][]R
	at := map[K]int{}
	for _, item := range items {
		k := key(item)
		i, known := at[k]
		if !known {
			i = len(rows)
			at[k] = i
			rows = append(rows, nil)
		}
		rows[i] = append(rows[i], item)
	}
	return rows
}
