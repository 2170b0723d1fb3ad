package table

import (
	"fmt"
	"strings"
	"testing"
)

// Means are brought out by size: the ends of each column, or all of one measure; numbers and texts are not means.
func TestMarks(t *testing.T) {
	mean := func(v float64) Cell { return Cell{Value: &v, N: 1} }
	rows := [][]Cell{{Word("a"), mean(1), mean(7), Number(0, 0)}, {Word("a"), mean(2), mean(7), Number(9, 0)}, {Word("b"), mean(100), {}, {}}, {Word("b"), mean(400), {}, {}}}
	for name, x := range map[string]struct {
		shading Shading
		first   string
		want    string
	}{
		"plain":            {Plain, "measure", "---- ---- ---- ----"},
		"ends of columns":  {Extremes, "measure", "-↓-- ---- ---- -↑--"},
		"heat by measure":  {Heat, "measure", "-16- -26- -1-- -6--"},
		"heat of one kind": {Heat, "rule", "-11- -11- -2-- -6--"},
	} {
		table := Table{Columns: []string{x.first, "m", "n", "o"}, Rows: rows, Shading: x.shading}
		var got []string
		for _, row := range table.Marks() {
			text := ""
			for _, m := range row {
				sign := m.Sign()
				if m.Heat > 0 {
					sign = fmt.Sprint(m.Heat)
				}
				if sign == "" {
					sign = "-"
				}
				text += sign
			}
			got = append(got, text)
		}
		if got := strings.Join(got, " "); got != x.want {
			t.Errorf("%s: %s, want %s", name, got, x.want)
		}
	}
}

// Cells of what is not there are empty, and those of shares in percent.
func TestCells(t *testing.T) {
	half := 0.5
	var s Sample
	s.Add(1, true)
	one, lone := s.Mean(1), s.Deviation(1)
	s.Add(3, true)
	s.Add(9, false)
	for i, x := range []struct {
		c    Cell
		want string
	}{
		{Percent(nil), ""}, {Percent(&half), "50.0"}, {PercentOf(1, 0), ""}, {PercentOf(1, 4), "25.0"}, {NumberOrEmpty(nil, 1), ""}, {NumberOrEmpty(&half, 2), "0.50"}, {MeanPercent(nil), ""},
		{one, "1.0"}, {lone, ""}, {s.Mean(1), "2.0 (1.0) n=2"}, {s.Deviation(2), "1.41"}, {new(Sample).Mean(1), ""},
	} {
		if got := x.c.String(); got != x.want {
			t.Errorf("%d: %q, want %q", i, got, x.want)
		}
	}
	given, known := ValueOrNone(&half)
	missing, unknown := ValueOrNone(nil)
	if given != half || !known || missing != 0 || unknown {
		t.Errorf("0.5 is %v (%v), nothing %v (%v)", given, known, missing, unknown)
	}
	if HundredIf(true) != 100 || HundredIf(false) != 0 {
		t.Error("a share that is whole is not 100 %")
	}
}

// Items of one key stand together, rows and items in the order in which they come.
func TestGather(t *testing.T) {
	got := Gather([]string{"b1", "a1", "b2", "c1", "a2"}, func(s string) byte { return s[0] })
	if fmt.Sprint(got) != "[[b1 b2] [a1 a2] [c1]]" {
		t.Error(got)
	}
}

// Tables stand apart by one empty line, and none comes first.
func TestApart(t *testing.T) {
	one := Table{Name: "x", Title: "One", Columns: []string{"a"}, Rows: [][]Cell{{Word("b")}}}
	for _, format := range []string{"text", "csv"} {
		var alone, both strings.Builder
		if err := Write(&alone, format, []Table{one}); err != nil {
			t.Fatal(err)
		}
		if err := Write(&both, format, []Table{one, one}); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(alone.String(), "\n") || strings.HasPrefix(both.String(), "\n") || strings.Count(both.String(), "\n\n") != 2*strings.Count(alone.String(), "\n\n")+1 {
			t.Errorf("%s: %q and %q", format, &alone, &both)
		}
	}
}
