package exports

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"roundtable/analysis/sql"
	"roundtable/envs/wording"
)

// What a table on a terminal shows at most; other formats have everything.
const (
	shownRows  = 1000
	shownRunes = 100 // of a cell
)

// writeTable writes rows in aligned columns for people. A statement without
// rows, such as CREATE VIEW, writes nothing.
func writeTable(w io.Writer, r sql.Result) (int64, error) {
	if r.Plan {
		return writePlan(w, r)
	}
	tw := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.Options{SeparateHeader: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	tw.SetStyle(style)
	header, right := table.Row{}, make([]table.ColumnConfig, len(r.Columns))
	for i, name := range r.Columns {
		header = append(header, cellText(name))
		right[i] = table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight}
	}
	tw.AppendHeader(header)
	rows, more, err := showRows(r, func(_ int64, row []any) {
		cells := make(table.Row, len(row))
		for i, v := range row {
			cells[i] = cellText(v)
			if !isNumeric(v) {
				right[i].Align, right[i].AlignHeader = text.AlignLeft, text.AlignLeft
			}
		}
		tw.AppendRow(cells)
	})
	if err != nil || len(r.Columns) == 0 {
		return rows, err
	}
	tw.SetColumnConfigs(right)
	for line := range strings.SplitSeq(tw.Render(), "\n") {
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	_, err = fmt.Fprintln(w, footerText(rows, more))
	return rows, err
}

// writeVertical writes each row as lines of a column and its value, which is whole.
func writeVertical(w io.Writer, r sql.Result) (int64, error) {
	width := 0
	for _, name := range r.Columns {
		width = max(width, utf8.RuneCountInString(cellText(name)))
	}
	rows, more, err := showRows(r, func(n int64, row []any) {
		fmt.Fprintf(w, "--- row %d\n", n)
		for i, v := range row {
			value := "NULL"
			if v != nil {
				value = strings.ReplaceAll(wording.SafeLines(sql.Text(v)), "\n", "\n"+strings.Repeat(" ", width+2))
			}
			fmt.Fprintf(w, "%-*s  %s\n", width, cellText(r.Columns[i]), value)
		}
	})
	if err != nil || len(r.Columns) == 0 {
		return rows, err
	}
	_, err = fmt.Fprintln(w, footerText(rows, more))
	return rows, err
}

// showRows calls show with each row and its number, from 1, up to shownRows; more says that there are others.
func showRows(r sql.Result, show func(n int64, row []any)) (rows int64, more bool, err error) {
	for row, err := range r.Rows {
		if err != nil || rows == shownRows {
			return rows, err == nil, err
		}
		rows++
		show(rows, row)
	}
	return rows, false, nil
}

func footerText(rows int64, more bool) string {
	switch {
	case more:
		return fmt.Sprintf("(the first %d rows; LIMIT and OFFSET show others, --format csv, json, jsonl and "+
			"parquet have all)", rows)
	case rows == 1:
		return "(1 row)"
	}
	return "(" + wording.Count(rows, "row") + ")"
}

// writePlan writes the texts of EXPLAIN as they are.
func writePlan(w io.Writer, r sql.Result) (rows int64, err error) {
	for row, err := range r.Rows {
		if err != nil {
			return rows, err
		}
		if _, err := fmt.Fprintln(w, wording.SafeLines(sql.Text(row[len(row)-1]))); err != nil {
			return rows, err
		}
		rows++
	}
	return rows, nil
}

// cellText returns a value on one line that is not too long.
func cellText(v any) string {
	if v == nil {
		return "NULL"
	}
	s := []rune(strings.Join(strings.Fields(wording.SafeLines(sql.Text(v))), " "))
	if len(s) > shownRunes {
		return string(s[:shownRunes-1]) + "…"
	}
	return string(s)
}

// isNumeric reports whether a value is aligned to the right; absent ones do not decide.
func isNumeric(v any) bool {
	switch v.(type) {
	case string, bool, time.Time, []any, map[string]any:
		return false
	}
	return true
}

// harmlessResult returns a result whose texts cannot steer a terminal.
func harmlessResult(r sql.Result) sql.Result {
	names := make([]string, len(r.Columns))
	for i, name := range r.Columns {
		names[i] = wording.SafeLines(name)
	}
	return sql.Result{Columns: names, Rows: func(yield func([]any, error) bool) {
		for row, err := range r.Rows {
			for i, v := range row {
				if s, ok := v.(string); ok {
					row[i] = wording.SafeLines(s)
				}
			}
			if !yield(row, err) {
				return
			}
		}
	}}
}
