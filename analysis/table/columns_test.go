package table

import (
	"slices"
	"testing"
)

type pair struct {
	name string
	n    int
}

func TestFill(t *testing.T) {
	var got Table
	numbers := Columns[int]{[]string{"n", "2n"}, func(n int) []Cell { return []Cell{Count(n), Count(2 * n)} }}
	Fill(&got, []pair{{"a", 1}, {"b", 2}},
		Column("name", func(p pair) Cell { return Word(p.name) }),
		Of(numbers, func(p pair) int { return p.n }))
	if want := []string{"name", "n", "2n"}; !slices.Equal(got.Columns, want) {
		t.Errorf("columns %q, want %q", got.Columns, want)
	}
	var text [][]string
	for _, row := range got.Rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, c.String())
		}
		text = append(text, cells)
	}
	if want := [][]string{{"a", "1", "2"}, {"b", "2", "4"}}; !slices.EqualFunc(text, want, slices.Equal) {
		t.Errorf("rows %q, want %q", text, want)
	}
}

func TestFillRefusesRowsOfAnotherWidth(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("one cell under two headers is accepted")
		}
	}()
	Fill(&Table{}, []int{1}, Columns[int]{[]string{"a", "b"}, func(int) []Cell { return make([]Cell, 1) }})
}

// The first that is so gives the cells; they are empty where none is.
func TestFirst(t *testing.T) {
	c := First(Column("n", func(n int) Cell { return Count(n) }), func(n int) bool { return n > 1 })
	for want, items := range map[string][]int{"2": {1, 2, 3}, "": {1, 0}} {
		if got := c.Cells(items); len(got) != 1 || got[0].String() != want || c.Headers[0] != "n" {
			t.Errorf("of %v: %v, want %q", items, got, want)
		}
	}
}
