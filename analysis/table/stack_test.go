package table

import (
	"slices"
	"testing"
)

func TestStack(t *testing.T) {
	a := Table{Name: "x", Title: "X", Columns: []string{"rule", "mean", "to"}, Rows: [][]Cell{{Word("rated"), Number(1, 0), Number(2, 0)}}, Notes: []string{"both", "only a"}}
	b := Table{Name: "x", Title: "X", Columns: []string{"model", "rule", "mean", "to", "to"}, Rows: [][]Cell{{Word("m"), Word("rated"), Number(3, 0), Number(4, 0), Number(5, 0)}}, Notes: []string{"both"}}
	got := Stack("campaign", []string{"A", "B"}, []Table{a, b})
	if want := []string{"campaign", "rule", "mean", "to", "model", "to"}; !slices.Equal(got.Columns, want) {
		t.Errorf("columns %q, want %q", got.Columns, want)
	}
	for i, want := range [][]string{{"A", "rated", "1", "2", "", ""}, {"B", "rated", "3", "4", "m", "5"}} {
		for j, cell := range got.Rows[i] {
			if cell.String() != want[j] {
				t.Errorf("row %d: column %d is %q, want %q", i, j, cell.String(), want[j])
			}
		}
	}
	if want := []string{"both", "A: only a"}; !slices.Equal(got.Notes, want) {
		t.Errorf("notes %q, want %q", got.Notes, want)
	}
	if alone := Stack("campaign", []string{"A"}, []Table{a}); alone.Title != "X" || len(alone.Rows) != 1 || len(alone.Columns) != 4 {
		t.Errorf("one table alone becomes %+v", alone)
	}
	if none := Stack("campaign", nil, nil); len(none.Columns) != 0 {
		t.Errorf("no table becomes %+v", none)
	}
}
