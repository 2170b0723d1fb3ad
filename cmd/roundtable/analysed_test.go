package main

import (
	"encoding/json"
	"testing"
)

// analysed is the JSON of analyze.
type analysed struct {
	Tables []struct {
		Name string
		Rows []map[string]json.RawMessage
	}
}

func analyse(t *testing.T, dir, campaign, table string, flags ...string) analysed {
	t.Helper()
	out := ends(t, 0, dir, nil, append([]string{"analyze", campaign, "--table", table, "--json"}, flags...)...).out // which alone must be one document
	var a analysed
	if err := json.Unmarshal([]byte(out), &a); err != nil || len(a.Tables) != 1 {
		t.Fatalf("%d tables: %v\n%s", len(a.Tables), err, out)
	}
	return a
}

// find is the number in the first row that these texts of columns tell; nil if it is empty.
func (a analysed) find(t *testing.T, column string, where map[string]string) *float64 {
	t.Helper()
next:
	for _, row := range a.Tables[0].Rows {
		for key, want := range where {
			var got string
			if json.Unmarshal(row[key], &got) != nil || got != want {
				continue next
			}
		}
		return number(t, row[column])
	}
	t.Fatalf("there is no row %v", where)
	return nil
}

func (a analysed) cellOf(t *testing.T, key, text, column string) *float64 {
	t.Helper()
	return a.find(t, column, map[string]string{key: text})
}

// number is find, where it must not be empty.
func (a analysed) number(t *testing.T, column string, where map[string]string) float64 {
	t.Helper()
	v := a.find(t, column, where)
	if v == nil {
		t.Fatalf("%s of %v is empty", column, where)
	}
	return *v
}

// value of a column in the row of a rule.
func (a analysed) value(t *testing.T, rule, column string) float64 {
	t.Helper()
	return a.number(t, column, map[string]string{"rule": rule})
}

// number is what a cell of a table holds, of a mean the mean; nil if it is empty.
func number(t *testing.T, cell json.RawMessage) *float64 {
	t.Helper()
	var mean struct{ Value *float64 }
	if json.Unmarshal(cell, &mean) == nil {
		return mean.Value
	}
	var v *float64
	if err := json.Unmarshal(cell, &v); err != nil {
		t.Fatalf("a cell is %s", cell)
	}
	return v
}
