package table

import (
	"slices"
	"strings"
)

// ShownColumns returns the indices of the columns that are shown: all that were chosen, or those that are
// neither empty nor the same in all of several rows; the first one if there are none.
func (t Table) ShownColumns() (columns []int) {
	return t.shownColumnsBut(func(int, string) bool { return true })
}

// shownColumnsBut is ShownColumns, where columns of one value in all rows fold only if fold says so.
func (t Table) shownColumnsBut(fold func(j int, value string) bool) (columns []int) {
	for j := range t.Columns {
		if !t.chosen {
			if len(t.Rows) == 0 {
				break
			}
			if same := t.sameValue(j); same != nil && fold(j, *same) {
				continue
			}
		}
		columns = append(columns, j)
	}
	if columns == nil {
		return []int{0}
	}
	return columns
}

// sameValue returns the value that a column has in all of several rows, or in a single one that
// is empty; nil if the column is to be shown.
func (t Table) sameValue(j int) *string {
	value := t.Rows[0][j].String()
	for _, row := range t.Rows {
		if row[j].String() != value {
			return nil
		}
	}
	if len(t.Rows) < 2 && value != "" {
		return nil
	}
	return &value
}

// CommonValues returns the common values of the columns that are not shown, in words; "" if all are shown.
func (t Table) CommonValues() string { return t.commonValuesBut(t.ShownColumns()) }

// commonValuesBut is CommonValues where these columns are shown.
func (t Table) commonValuesBut(kept []int) string {
	var same, empty []string
	for j, name := range t.Columns {
		if slices.Contains(kept, j) || len(t.Rows) == 0 {
			continue
		}
		switch value := t.sameValue(j); *value {
		case "":
			empty = append(empty, name)
		default:
			same = append(same, name+" "+*value)
		}
	}
	var parts []string
	if same != nil {
		parts = append(parts, "The same in all rows: "+strings.Join(same, ", ")+".")
	}
	if empty != nil {
		parts = append(parts, "Empty: "+strings.Join(empty, ", ")+".")
	}
	return strings.Join(parts, " ")
}
