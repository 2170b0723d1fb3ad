package table

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func typeset(t *testing.T, format string) string {
	t.Helper()
	v := 12.0
	table := Table{
		Name: "x", Title: "Shares in % of <all>", Columns: []string{"rule_name", "n & m"}, Notes: []string{"p ≤ 5 %; a\\b"},
		Rows: [][]Cell{{{Text: "a_b<c>"}, {Value: &v}}, {{Text: "none"}, {}}},
	}
	var b bytes.Buffer
	if err := Write(&b, format, []Table{table}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLaTeX(t *testing.T) {
	got := typeset(t, "latex")
	for _, want := range []string{
		`\caption{Shares in \% of \textless{}all\textgreater{}}`, `\begin{tabular}{lr}`, `rule\_name & n \& m \\`,
		`a\_b\textless{}c\textgreater{} & 12 \\`, `none & -- \\`, "% p ≤ 5 %; a\\b\n\\begin{table}\n", `\bottomrule`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// A table fits the class article in one column and in two; what it says in notes is a comment.
func TestLaTeXFits(t *testing.T) {
	number := func(v float64) Cell { return Cell{Value: &v, Decimals: 4} }
	make := func(columns int) Table {
		wide := Table{Title: "Outcomes", Columns: []string{"env", "rule"}, Notes: []string{Simulated + ".", "Mean."}}
		for i := range 3 {
			row := []Cell{Word("qa"), Word(fmt.Sprint("rule ", i))}
			for j := range columns {
				row = append(row, number(float64(i+j)))
			}
			wide.Rows = append(wide.Rows, row)
		}
		for j := range columns {
			wide.Columns = append(wide.Columns, fmt.Sprint("column ", j))
		}
		return wide
	}
	for _, x := range []struct {
		columns, parts int
		float, size    string
	}{{2, 1, "table", ""}, {4, 1, "table*", ""}, {6, 1, "table*", `\small`}, {19, 3, "table*", `\footnotesize`}} {
		wide := make(x.columns)
		got := wide.LaTeX()
		if n := strings.Count(got, `\begin{tabular}{lr`); n != x.parts || !strings.Contains(got, `\begin{`+x.float+"}\n") || strings.Contains(got, x.size+`\setlength`) != (x.size != "") || strings.Count(got, `\medskip`) != x.parts-1 {
			t.Errorf("%d columns: %d parts in\n%s", x.columns, n, got)
		}
		if strings.Count(got, "rule 2 &") != x.parts || !strings.HasPrefix(got, "% The same in all rows: env qa.\n% SIMULATED") || !strings.Contains(got, `\par\footnotesize SIMULATED`) || strings.Contains(got, `\footnotesize Mean`) {
			t.Errorf("%d columns:\n%s", x.columns, got)
		}
		_, parts, size := wide.fitColumns()
		for _, part := range parts {
			if w := wide.typesetWidth(part, size); w > textWidth || x.float == "table" && w > columnWidth {
				t.Errorf("%d columns: a part is %g points wide", x.columns, w)
			}
		}
	}
	alone := make(19) // of one rule whose rows are numbered, with a result that all rows have
	for i := range alone.Rows {
		alone.Rows[i][1], alone.Rows[i][2], alone.Rows[i][3] = Word("[all]"), number(float64(i)), number(7)
	}
	if got := alone.LaTeX(); strings.Count(got, "2.0000 &") < 3 || !strings.Contains(got, "7.0000") || strings.Contains(got, "{[}all]") {
		t.Errorf("of one rule:\n%s", got)
	}
	one, err := make(2).Select("env", "rule")
	if got := one.LaTeX(); err != nil || !strings.Contains(got, "env & rule") {
		t.Errorf("%v: a column that was chosen is left out of\n%s", err, got)
	}
	// of the metrics of cmr10: nothing is taken to be narrower than it is
	for text, width := range map[string]float64{"0123456789": 50, "majority": 37.5, "0.7500 (0.0598)": 66.7, "WMwm": 35} {
		if got := wordsWidth(text); got < width || got > 1.25*width {
			t.Errorf("%s is taken to be %g points wide, and is %g", text, got, width)
		}
	}
}

// What is longer than a page goes on in floats of the same number, with all of its rows; a text that no page is
// wide enough for is broken, also within a word.
func TestLaTeXGoesOn(t *testing.T) {
	long := Table{Title: "Rows", Columns: []string{"rule", "unit", "label", "value"}, Notes: []string{Simulated + "."}}
	for i := range 240 {
		v := float64(i)
		long.Rows = append(long.Rows, []Cell{Word(fmt.Sprint("rule ", i)), Word(strings.Repeat(fmt.Sprintf("a6e82f%02d", i%100), 8)),
			Word(strings.Repeat("discussion, ranked ", 5+i%2)), {Value: &v, Decimals: 1}})
	}
	got := long.LaTeX()
	floats := strings.Split(strings.TrimSuffix(got, "\\end{table*}\n"), "\\end{table*}\n")
	if len(floats) < 3 || strings.Count(got, " (continued)}") != len(floats)-1 || strings.Count(got, `\addtocounter{table}{-1}`) != len(floats)-1 {
		t.Errorf("%d floats in\n%s", len(floats), got)
	}
	if n := strings.Count(got, "\\clearpage\n"); len(floats) <= mostFloats || n != (len(floats)-1)/mostFloats {
		t.Errorf("pages are printed %d times for %d floats", n, len(floats))
	}
	for i := range 240 {
		if strings.Count(got, fmt.Sprintf("rule %d &", i)) != 1 {
			t.Errorf("row %d is there %d times", i, strings.Count(got, fmt.Sprintf("rule %d &", i)))
		}
	}
	_, parts, size := long.fitColumns()
	for _, page := range long.paginate(parts, size) {
		lines := 0
		for _, block := range page {
			for _, row := range block.rows {
				lines += long.lineCount(row, block.columns, size)
			}
		}
		if lines > size.lines {
			t.Errorf("a page has %d lines, and room for %d", lines, size.lines)
		}
	}
	if !strings.Contains(got, `a6e82f96\allowbreak{}a6e82f96`) || !strings.Contains(got, `\parbox[t]{105pt}{\raggedright discussion, ranked`) || strings.Count(got, Simulated) != len(floats)+1 {
		t.Error(got)
	}
	if inLaTeX("p ≈ √χ²…") != `p $\approx$ $\surd$$\chi$$^2$\dots{}` {
		t.Error(inLaTeX("p ≈ √χ²…"))
	}
}

func TestHTML(t *testing.T) {
	got := typeset(t, "html")
	for _, want := range []string{"<h3>Shares in % of &lt;all&gt;</h3>", "<td>a_b&lt;c&gt;</td>", ">12<", "<th>rule_name</th>", "<li>p ≤ 5 %; a\\b</li>"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

func TestEnding(t *testing.T) {
	for ending, want := range map[string]string{"": "text", "txt": "text", "tex": "latex", "html": "html", "md": "md", "csv": "csv", "json": "json", "xlsx": "", "pdf": ""} {
		if got := FormatByEnding(ending); got != want {
			t.Errorf("%q is %q, want %q", ending, got, want)
		}
	}
}

// Names of rows that leave no room for a result are a part of their own, and numbers say which row is meant.
func TestLaTeXNumbersRows(t *testing.T) {
	crowded := Table{Title: "Rows"}
	for j := range 8 {
		crowded.Columns = append(crowded.Columns, fmt.Sprint("name ", j))
	}
	crowded.Columns = append(crowded.Columns, "score")
	for i := range 3 {
		row := []Cell{}
		for j := range 8 {
			row = append(row, Word(fmt.Sprintf("quite a long name %d of row %d", j, i)))
		}
		crowded.Rows = append(crowded.Rows, append(row, Number(float64(7+i), 1)))
	}
	fit, parts, size := crowded.fitColumns()
	for _, part := range parts {
		if w := fit.typesetWidth(part, size); w > textWidth {
			t.Errorf("a part is %g points wide", w)
		}
	}
	got := crowded.LaTeX()
	if strings.Count(got, "No. &") != len(parts) || len(parts) < 2 || strings.Count(got, "quite a long name 5 of row 2") != 1 ||
		!regexp.MustCompile(`\n3 &[^\n]* 9\.0 `).MatchString(got) {
		t.Errorf("%d parts:\n%s", len(parts), got)
	}
	if len(crowded.Columns) != 9 || len(crowded.Rows[0]) != 9 {
		t.Error("the table itself has changed")
	}
}
