package table

import (
	"fmt"
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
	rows := make([][]Cell, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = slices.Clone(row)
		for j := range rows[i] {
			if rows[i][j].Decimals > 0 {
				rows[i][j].Decimals = decimals
			}
		}
	}
	t.Rows = rows
	return t
}
