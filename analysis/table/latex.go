package table

import (
	"fmt"
	"strings"

	"roundtable/envs/wording"
)

// Widths of the class article at 10 points, in points: of a text, and of one of two columns.
const (
	textWidth   = 345.
	columnWidth = 200.
)

// typeSize is a size that a table can have.
type typeSize struct {
	command   string
	factor    float64 // of the width at 10 points
	separator float64 // \tabcolsep, which is at both sides of a column
}

// typeSizes are from the largest down. Below \footnotesize a table is not read.
var typeSizes = []typeSize{{"", 1, 6}, {`\small`, 0.925, 5}, {`\footnotesize`, 0.85, 3}}

// LaTeX returns the table as a float for a paper that loads the package booktabs. It fits the class article: in
// two columns a wide one takes both. What is too wide even in small type goes on below, under the same names of
// rows. Columns that are empty, or of one word in all rows, are left out, unless they were chosen, and the notes
// are comments, so that the paper says what it wants of them; only that agents were simulated is printed.
func (t Table) LaTeX() string {
	var b strings.Builder
	notes := t.Notes
	if same := t.commonValuesBut(t.printed()); same != "" {
		notes = append([]string{same}, notes...)
	}
	for _, n := range notes {
		fmt.Fprintf(&b, "%% %s\n", wording.SafeLine(n))
	}
	parts, size := t.fitColumns()
	float := "table"
	for _, part := range parts {
		if t.typesetWidth(part, size) > columnWidth {
			float = "table*"
		}
	}
	fmt.Fprintf(&b, "\\begin{%s}\n\\centering\n\\caption{%s}\n", float, inLaTeX(t.Title))
	if size.command != "" {
		fmt.Fprintf(&b, "%s\\setlength{\\tabcolsep}{%gpt}\n", size.command, size.separator)
	}
	for i, part := range parts {
		if i > 0 {
			b.WriteString("\\par\\medskip\n")
		}
		t.writeTabular(&b, part)
	}
	for _, n := range t.Notes {
		if strings.HasPrefix(n, Simulated) {
			fmt.Fprintf(&b, "\\par\\footnotesize %s\n", inLaTeX(n))
		}
	}
	fmt.Fprintf(&b, "\\end{%s}\n", float)
	return b.String()
}

// fitColumns returns the columns of each part of the table, and the largest size in which they fit a page.
func (t Table) fitColumns() (parts [][]int, size typeSize) {
	kept := t.printed()
	for _, size := range typeSizes {
		if t.typesetWidth(kept, size) <= textWidth {
			return [][]int{kept}, size
		}
	}
	size = typeSizes[len(typeSizes)-1]
	names := 0 // columns at the beginning that say what a row is
	for names < len(kept)-1 && (names == 0 || !t.isNumeric(kept[names])) {
		names++
	}
	part := kept[:names:names]
	for _, j := range kept[names:] {
		if len(part) > names && t.typesetWidth(append(part, j), size) > textWidth {
			parts, part = append(parts, part), kept[:names:names]
		}
		part = append(part, j)
	}
	return append(parts, part), size
}

// printed returns the columns that a paper shows: a number is a result, also where all rows have it.
func (t Table) printed() []int {
	return t.shownColumnsBut(func(j int, value string) bool { return value == "" || !t.isNumeric(j) })
}

// typesetWidth returns how wide some columns are in a size, in points.
func (t Table) typesetWidth(columns []int, size typeSize) (width float64) {
	for _, j := range columns {
		widest := wordsWidth(t.Columns[j])
		for _, row := range t.Rows {
			widest = max(widest, wordsWidth(row[j].String()))
		}
		width += widest*size.factor + 2*size.separator
	}
	return width
}

// wordsWidth returns how wide a text is in Computer Modern at 10 points; letters that it does not have are
// taken to be as wide as a capital.
func wordsWidth(text string) (width float64) {
	for _, r := range text {
		switch {
		case strings.ContainsRune("ijl.,:;'| !", r):
			width += 2.78
		case strings.ContainsRune("frst()[]-/ ", r):
			width += 3.92
		case strings.ContainsRune("MW", r):
			width += 10.28
		case strings.ContainsRune("mw%–+=<>≤≥±×→−", r):
			width += 8.33
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			width += 5.28
		default:
			width += 7.5
		}
	}
	return width
}

func (t Table) writeTabular(b *strings.Builder, columns []int) {
	marks := t.Marks()
	form, header := "", make([]string, len(columns))
	for i, j := range columns {
		if header[i] = inLaTeX(t.Columns[j]); t.isNumeric(j) {
			form += "r"
		} else {
			form += "l"
		}
	}
	line := func(cells []string) { b.WriteString(strings.Join(cells, " & ") + " \\\\\n") }
	fmt.Fprintf(b, "\\begin{tabular}{%s}\n\\toprule\n", form)
	line(header)
	b.WriteString("\\midrule\n")
	for i, cells := range t.Rows {
		row := make([]string, len(columns))
		for k, j := range columns {
			if row[k] = inLaTeX(cells[j].String()); row[k] == "" {
				row[k] = "--"
			}
			switch m := marks[i][j]; {
			case m.Greatest:
				row[k] = `\textbf{` + row[k] + "}"
			case m.Least:
				row[k] = `\underline{` + row[k] + "}"
			}
		}
		line(row)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
}
