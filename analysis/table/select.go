package table

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Select returns the table with only these columns, in this order. Each text is the name of a column, or several
// with commas between; a name that several columns have selects all. An unknown name is an error.
func (t Table) Select(names ...string) (Table, error) {
	var places []int
	for _, rest := range names {
		for more := true; more; {
			var name string
			name, rest, more = t.cutName(rest)
			before := len(places)
			for j, column := range t.Columns {
				if column == name {
					places = append(places, j)
				}
			}
			if len(places) == before {
				return t, fmt.Errorf("table %s has no column %q; its columns are %q", t.Name, name, t.Columns)
			}
		}
	}
	selected := t
	selected.chosen = true
	selected.Columns, selected.Rows = pick(t.Columns, places), make([][]Cell, len(t.Rows))
	for i, row := range t.Rows {
		selected.Rows[i] = pick(row, places)
	}
	return selected, nil
}

// cutName returns the longest name of a column with which a list begins, or what stands before its first comma.
func (t Table) cutName(list string) (name, rest string, more bool) {
	for end := len(list); end >= 0; end = strings.LastIndexByte(list[:end], ',') {
		if name = strings.TrimSpace(list[:end]); slices.Contains(t.Columns, name) {
			return name, strings.TrimPrefix(list[end:], ","), end < len(list)
		}
	}
	name, rest, more = strings.Cut(list, ",")
	return strings.TrimSpace(name), rest, more
}

func pick[T any](all []T, places []int) []T {
	picked := make([]T, len(places))
	for i, j := range places {
		picked[i] = all[j]
	}
	return picked
}

// WithDecimals returns the table with this many decimals where people read it; numbers without decimals, such
// as counts, stay.
func (t Table) WithDecimals(decimals int) Table {
	return t.round(func(_ int, c Cell) int {
		if c.Decimals > 0 {
			return decimals
		}
		return 0
	})
}

// Rounded returns the table for a glance: each column has at most as many decimals as give its largest number
// four digits, or three if it is below 1, and its smallest standard error two. P-values stay as they are.
func (t Table) Rounded() Table {
	most, errors := make([]float64, len(t.Columns)), make([]float64, len(t.Columns))
	for _, row := range t.Rows {
		for j, c := range row {
			if c.Value != nil {
				most[j] = max(most[j], math.Abs(*c.Value))
			}
			if c.SE != nil && *c.SE > 0 && (errors[j] == 0 || *c.SE < errors[j]) {
				errors[j] = *c.SE
			}
		}
	}
	place := func(v float64) int { return -int(math.Floor(math.Log10(v))) } // of its first digit
	return t.round(func(column int, c Cell) int {
		if c.P {
			return c.Decimals
		}
		decimals := 0
		switch m := most[column]; {
		case m == 0:
		case m < 0.01:
			decimals = 2 + place(m)
		default:
			decimals = max(0, 3+min(0, place(m)))
		}
		if se := errors[column]; se > 0 {
			decimals = max(decimals, 1+place(se))
		}
		return min(c.Decimals, decimals)
	})
}

func (t Table) round(decimals func(column int, c Cell) int) Table {
	rows := make([][]Cell, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = slices.Clone(row)
		for j := range rows[i] {
			rows[i][j].Decimals = decimals(j, rows[i][j])
		}
	}
	t.Rows = rows
	return t
}
