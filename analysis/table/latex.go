package table

import (
	"fmt"
	"math"
	"slices"
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
	lines     int     // that fit a page below a caption
	text      float64 // the width at which texts are broken; 0 if they are not
}

// typeSizes are from the largest down. Below \footnotesize a table is not read; what is still too wide gets
// broken texts.
var typeSizes = []typeSize{{"", 1, 6, 40, 0}, {`\small`, 0.925, 5, 44, 0},
	{`\footnotesize`, 0.85, 3, 50, 0}, {`\footnotesize`, 0.85, 3, 50, 105}}

// mostFloats is how many floats follow each other before their pages are printed: LaTeX fails if more than 18 wait.
const mostFloats = 12

// LaTeX returns the table as a float for a paper that loads the package booktabs. It fits the class article: in
// two columns a wide one takes both. What is too wide even in small type goes on below, under the same names of
// rows or their numbers, and what is longer than a page in further floats of the same number. Columns that are empty, or of one
// word in all rows, are left out, unless they were chosen, and the notes are comments, so that the paper says
// what it wants of them; only that agents were simulated is printed.
func (t Table) LaTeX() string {
	var b strings.Builder
	notes := t.Notes
	if same := t.commonValuesBut(t.printed()); same != "" {
		notes = append([]string{same}, notes...)
	}
	for _, n := range notes {
		fmt.Fprintf(&b, "%% %s\n", wording.SafeLine(n))
	}
	t, parts, size := t.fitColumns()
	float := "table"
	for _, part := range parts {
		if t.typesetWidth(part, size) > columnWidth {
			float = "table*"
		}
	}
	for i, blocks := range t.paginate(parts, size) {
		title := inLaTeX(t.Title)
		if i > 0 {
			if i%mostFloats == 0 {
				b.WriteString("\\clearpage\n")
			}
			b.WriteString("\\addtocounter{table}{-1}\n")
			title += " (continued)"
		}
		fmt.Fprintf(&b, "\\begin{%s}\n\\centering\n\\caption{%s}\n", float, title)
		if size.command != "" {
			fmt.Fprintf(&b, "%s\\setlength{\\tabcolsep}{%gpt}\n", size.command, size.separator)
		}
		for k, block := range blocks {
			if k > 0 {
				b.WriteString("\\par\\medskip\n")
			}
			t.writeTabular(&b, block, size)
		}
		for _, n := range t.Notes {
			if strings.HasPrefix(n, Simulated) {
				fmt.Fprintf(&b, "\\par\\footnotesize %s\n", inLaTeX(n))
			}
		}
		fmt.Fprintf(&b, "\\end{%s}\n", float)
	}
	return b.String()
}

// headLines are those of the names of columns, the rules and the space before.
const headLines = 3

// block is some rows of some columns.
type block struct{ columns, rows []int }

// paginate returns the blocks of each page: the parts one below the other, and cut where a page is full.
func (t Table) paginate(parts [][]int, size typeSize) (pages [][]block) {
	var page []block
	free := size.lines
	for _, part := range parts {
		now := block{columns: part}
		free -= headLines
		for i := range t.Rows {
			need := t.lineCount(i, part, size)
			if full := free < need; full && (len(page) > 0 || len(now.rows) > 0) {
				if len(now.rows) > 0 {
					page = append(page, now)
				}
				pages, page, now, free = append(pages, page), nil, block{columns: part}, size.lines-headLines
			}
			now.rows, free = append(now.rows, i), free-need
		}
		page = append(page, now)
	}
	return append(pages, page)
}

// lineCount returns how many lines a row takes.
func (t Table) lineCount(row int, columns []int, size typeSize) int {
	most := 1
	for _, j := range columns {
		if width := wordsWidth(t.Rows[row][j].String()) * size.factor; t.isTooWide(row, j, size) {
			most = max(most, 1+int(math.Ceil(width/(0.8*size.text)))) // lines are not full
		}
	}
	return most
}

// isTooWide reports whether a text has to be broken.
func (t Table) isTooWide(row, column int, size typeSize) bool {
	c := t.Rows[row][column]
	return size.text > 0 && c.Value == nil && wordsWidth(c.Text)*size.factor > size.text
}

// fitColumns returns the columns of each part of the table, and the largest size in which they fit a page. Where
// the names of rows leave no room, they are a part of their own, and rows have numbers.
func (t Table) fitColumns() (fit Table, parts [][]int, size typeSize) {
	kept := t.printed()
	for _, size := range typeSizes {
		if t.typesetWidth(kept, size) <= textWidth && len(t.Rows)+headLines <= size.lines {
			return t, [][]int{kept}, size
		}
	}
	size = typeSizes[len(typeSizes)-1]
	names := 0 // columns at the beginning that say what a row is
	for names < len(kept)-1 && (names == 0 || !t.isNumeric(kept[names])) {
		names++
	}
	head, rest := kept[:names:names], kept[names:]
	for _, j := range rest {
		if t.typesetWidth(append(head, j), size) > textWidth {
			t = t.numbered()
			head, rest = []int{len(t.Columns) - 1}, kept
			break
		}
	}
	part := head
	for _, j := range rest {
		if len(part) > len(head) && t.typesetWidth(append(part, j), size) > textWidth {
			parts, part = append(parts, part), head
		}
		part = append(slices.Clip(part), j)
	}
	return t, append(parts, part), size
}

// numbered returns the table with the numbers of its rows as the last column.
func (t Table) numbered() Table {
	t.Columns = append(slices.Clone(t.Columns), "No.")
	t.Rows = slices.Clone(t.Rows)
	for i, row := range t.Rows {
		t.Rows[i] = append(slices.Clone(row), Count(i+1))
	}
	return t
}

// printed returns the columns that a paper shows: a number is a result, also where all rows have it.
func (t Table) printed() []int {
	return t.shownColumnsBut(func(j int, value string) bool { return value == "" || !t.isNumeric(j) })
}

// typesetWidth returns how wide some columns are in a size, in points.
func (t Table) typesetWidth(columns []int, size typeSize) (width float64) {
	marks := t.Marks()
	for _, j := range columns {
		widest := wordsWidth(t.Columns[j]) * size.factor
		for i, row := range t.Rows {
			if t.isTooWide(i, j, size) {
				widest = max(widest, size.text)
			} else {
				width := wordsWidth(row[j].String()) * size.factor
				if marks[i][j].Greatest {
					width *= boldFactor
				}
				widest = max(widest, width)
			}
		}
		width += widest + 2*size.separator
	}
	return width
}

// boldFactor is how much wider bold text is.
const boldFactor = 1.15

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

func (t Table) writeTabular(b *strings.Builder, block block, size typeSize) {
	marks, columns := t.Marks(), block.columns
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
	for _, i := range block.rows {
		row := make([]string, len(columns))
		for k, j := range columns {
			if row[k] = inLaTeX(t.Rows[i][j].String()); row[k] == "" {
				row[k] = "--"
			} else if t.isTooWide(i, j, size) {
				row[k] = fmt.Sprintf(`\parbox[t]{%gpt}{\raggedright %s\strut}`, size.text, breakable(t.Rows[i][j].Text))
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

// breakable writes a text so that LaTeX can also break words that fit no line.
func breakable(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		var parts []string
		for letters := []rune(word); len(letters) > 0; {
			n := min(8, len(letters))
			if len([]rune(word)) <= 20 {
				n = len(letters)
			}
			parts, letters = append(parts, inLaTeX(string(letters[:n]))), letters[n:]
		}
		words[i] = strings.Join(parts, `\allowbreak{}`)
	}
	return strings.Join(words, " ")
}
