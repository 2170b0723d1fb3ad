package exports

import (
	"errors"
	"strings"
	"testing"
	"time"

	"roundtable/analysis/sql"
)

func resultOf(columns []string, rows ...[]any) sql.Result {
	return sql.Result{Columns: columns, Rows: func(yield func([]any, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}}
}

// Numbers are at the right, texts at the left, long cells and tables cut; nothing steers the terminal.
func TestTablesOfAnswers(t *testing.T) {
	many := make([][]any, shownRows+1)
	for i := range many {
		many[i] = []any{int64(i)}
	}
	for want, r := range map[string]sql.Result{
		"name  n\n--------\na     1\nbb    20\n(2 rows)\n|2":    resultOf([]string{"name", "n"}, []any{"a", "1"}, []any{"bb", "20"}),
		"name   n\n---------\na      1\nNULL  20\n(2 rows)\n|2": resultOf([]string{"name", "n"}, []any{"a", int64(1)}, []any{nil, int64(20)}),
		"n\n-\n1\n(1 row)\n|1":                                  resultOf([]string{"n"}, []any{int64(1)}),
		"n\n-\n(0 rows)\n|0":                                    resultOf([]string{"n"}),
		"|0":                                                    resultOf(nil),
		"the plan\nof it\n|2":                                   {Plan: true, Columns: []string{"key", "value"}, Rows: resultOf(nil, []any{"k", "the plan"}, []any{"k", "of it"}).Rows},
		"t\n---\na b\n(1 row)\n|1":                              resultOf([]string{"t"}, []any{"a\n b"}),
	} {
		var b strings.Builder
		text, n, _ := strings.Cut(want, "|")
		rows, err := writeTable(&b, r)
		got := trimLines(b.String())
		if err != nil || rows != int64(n[0]-'0') || got != trimLines(text) {
			t.Errorf("%d rows, %v:\n%s\nwant\n%s", rows, err, got, want)
		}
	}
	var b strings.Builder
	if rows, err := writeTable(&b, resultOf([]string{"n"}, many...)); err != nil || rows != shownRows || !strings.Contains(b.String(), "999\n(the first 1000 rows; LIMIT") {
		t.Errorf("%d rows, %v", rows, err)
	}
	b.Reset()
	if rows, err := writeTable(&b, resultOf([]string{"n"}, many[:shownRows]...)); err != nil || rows != shownRows || !strings.HasSuffix(b.String(), "(1000 rows)\n") {
		t.Errorf("%d rows, %v: %s", rows, err, b.String()[b.Len()-40:])
	}
	failed := sql.Result{Columns: []string{"n"}, Rows: func(yield func([]any, error) bool) { yield(nil, errors.New("lost")) }}
	for _, write := range []func() (int64, error){func() (int64, error) { return writeTable(&b, failed) }, func() (int64, error) { return writeVertical(&b, failed) }} {
		if _, err := write(); err == nil || err.Error() != "lost" {
			t.Errorf("%v", err)
		}
	}
}

func trimLines(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimRight(line, " "); strings.Trim(line, "-") != "" || line == "" { // but the rule below the head
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func TestRowsOneBelowAnother(t *testing.T) {
	var b strings.Builder
	rows, err := writeVertical(&b, resultOf([]string{"a", "long"}, []any{"x\ny", nil}, []any{int64(2), "z"}))
	if want := "--- row 1\na     x\n      y\nlong  NULL\n--- row 2\na     2\nlong  z\n(2 rows)\n"; err != nil || rows != 2 || b.String() != want {
		t.Errorf("%d rows, %v:\n%s", rows, err, &b)
	}
	b.Reset()
	if rows, err := writeVertical(&b, resultOf(nil)); err != nil || rows != 0 || b.Len() > 0 {
		t.Errorf("%d rows, %v: %q", rows, err, &b)
	}
	many := make([][]any, shownRows+1)
	for i := range many {
		many[i] = []any{"x"}
	}
	if rows, err := writeVertical(&b, resultOf([]string{"n"}, many...)); err != nil || rows != shownRows || !strings.Contains(b.String(), "(the first 1000 rows;") {
		t.Errorf("%d rows, %v", rows, err)
	}
}

func TestCells(t *testing.T) {
	for want, v := range map[string]any{"NULL": nil, "a b": " a\n\tb ", "true": true, "7": int64(7), strings.Repeat("x", shownRunes): strings.Repeat("x", shownRunes), strings.Repeat("y", shownRunes-1) + "…": strings.Repeat("y", shownRunes+1)} {
		if got := cellText(v); got != want {
			t.Errorf("%v is shown as %q, want %q", v, got, want)
		}
	}
	for _, x := range []struct {
		v  any
		is bool
	}{{int64(1), true}, {1.5, true}, {nil, true}, {"1", false}, {true, false}, {time.Time{}, false}, {[]any{1}, false}, {map[string]any{}, false}} {
		if isNumeric(x.v) != x.is {
			t.Errorf("%v (%T) is numeric: %t", x.v, x.v, !x.is)
		}
	}
	harmless := harmlessResult(resultOf([]string{"a\x1b[2J"}, []any{"b\x1b[2J", int64(1)}))
	for row, err := range harmless.Rows {
		if err != nil || strings.Contains(harmless.Columns[0]+row[0].(string), "\x1b") || row[1] != int64(1) {
			t.Errorf("%q, %v: %v", harmless.Columns, row, err)
		}
	}
}
