// Package table is a result as people and programs read it: cells under
// columns, with notes. A mean keeps its standard error and the n it rests on,
// and a table is written as text, Markdown, CSV, JSON, HTML or LaTeX.
package table

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Table is a result: rows of cells under named columns, with notes.
type Table struct {
	Name    string   `json:"name"` // as analyze --table takes it
	Title   string   `json:"title"`
	Columns []string `json:"columns"`
	Rows    [][]Cell `json:"-"` // see MarshalJSON
	Notes   []string `json:"notes,omitempty"`

	Shading Shading `json:"-"` // how its cells are brought out

	chosen bool // its columns are, so that all are shown
}

// Stack returns tables one below the other; the first column, under header, has the name of each row's table.
// Where a table lacks a column the cells are empty; a note that not all tables have says whose it is.
func Stack(header string, names []string, tables []Table) Table {
	if len(tables) == 0 {
		return Table{}
	}
	type column struct {
		name   string
		before int // columns of this name, since some repeat
	}
	all := tables[0]
	all.Columns, all.Rows, all.Notes = []string{header}, nil, nil
	at := map[column]int{}
	places := make([][]int, len(tables)) // of each table's columns
	for k, t := range tables {
		before := map[string]int{}
		for _, name := range t.Columns {
			c := column{name, before[name]}
			before[name]++
			if _, known := at[c]; !known {
				at[c], all.Columns = len(all.Columns), append(all.Columns, name)
			}
			places[k] = append(places[k], at[c])
		}
	}
	for k, t := range tables {
		for _, cells := range t.Rows {
			row := make([]Cell, len(all.Columns))
			row[0] = Word(names[k])
			for i, cell := range cells {
				row[places[k][i]] = cell
			}
			all.Rows = append(all.Rows, row)
		}
		for _, note := range t.Notes {
			if slices.ContainsFunc(tables, func(other Table) bool { return !slices.Contains(other.Notes, note) }) {
				note = names[k] + ": " + note
			}
			if !slices.Contains(all.Notes, note) {
				all.Notes = append(all.Notes, note)
			}
		}
	}
	return all
}

// MarshalJSON writes each row as an object with the columns as keys.
func (t Table) MarshalJSON() ([]byte, error) {
	type plain Table
	rows := make([]map[string]Cell, len(t.Rows))
	for i, cells := range t.Rows {
		rows[i] = make(map[string]Cell, len(cells))
		for j, c := range cells {
			rows[i][t.Columns[j]] = c
		}
	}
	return json.Marshal(struct {
		plain
		Rows []map[string]Cell `json:"rows"`
	}{plain(t), rows})
}

// Cell is a text, a number, a mean, or nothing (the zero value).
type Cell struct {
	Text     string   // of a text cell
	Value    *float64 // of a number or mean
	SE       *float64 // standard error of a mean; none for n = 1
	N        int      // observations behind a mean; 0 for a number
	Decimals int      // shown to people; JSON and CSV have all digits
	Partial  bool     // some observations had no such value, so N is shown
	P        bool     // a p-value: one that is too small for its decimals is shown as "<"
}

// MarshalJSON writes a string, a number, {"value", "se", "n"} or null.
func (c Cell) MarshalJSON() ([]byte, error) {
	switch {
	case c.Text != "":
		return json.Marshal(c.Text)
	case c.N > 0:
		return json.Marshal(struct {
			Value *float64 `json:"value"`
			SE    *float64 `json:"se"`
			N     int      `json:"n"`
		}{c.Value, c.SE, c.N})
	}
	return json.Marshal(c.Value)
}

// String returns the cell for people: 79.88 (0.80).
func (c Cell) String() string {
	if c.Value == nil {
		return c.Text
	}
	s := FormatNumber(*c.Value, c.Decimals)
	if least := math.Pow10(-c.Decimals); c.P && *c.Value < least/2 {
		return "<" + FormatNumber(least, c.Decimals)
	}
	if c.N == 0 {
		return s
	}
	if c.SE != nil {
		s += " (" + FormatNumber(*c.SE, c.Decimals) + ")"
	}
	if c.Partial {
		s += " n=" + strconv.Itoa(c.N)
	}
	return s
}

// FormatNumber returns v with this many decimals, and never "-0".
func FormatNumber(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		return strings.TrimPrefix(s, "-")
	}
	return s
}
