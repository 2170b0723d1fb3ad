package table

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"roundtable/envs/wording"
)

// Formats returns the formats that Write knows.
func Formats() []string { return []string{"text", "md", "csv", "json", "html", "latex"} }

// FormatByEnding returns the format for a file extension without its dot ("" is text); "" if there is none.
func FormatByEnding(ending string) string {
	switch ending {
	case "", "txt":
		return "text"
	case "tex":
		return "latex"
	case "htm":
		return "html"
	}
	if slices.Contains(Formats(), ending) {
		return ending
	}
	return ""
}

// Write writes tables in one of the Formats. JSON is a list; in CSV, each of several tables follows a line
// with its name.
func Write(w io.Writer, format string, tables []Table) error {
	switch format {
	case "text":
		return renderEach(w, tables, Table.Text)
	case "md":
		return renderEach(w, tables, Table.Markdown)
	case "html":
		return renderEach(w, tables, Table.HTML)
	case "latex":
		return renderEach(w, tables, Table.LaTeX)
	case "csv":
		return writeCSV(w, tables)
	case "json":
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(tables)
	}
	return fmt.Errorf("unknown format %q; expected %s", format, wording.Or(Formats()))
}

func renderEach(w io.Writer, tables []Table, render func(Table) string) error {
	for i, t := range tables {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, render(t)); err != nil {
			return err
		}
	}
	return nil
}

// Text returns the table as text in aligned columns.
func (t Table) Text() string {
	style := table.StyleDefault
	style.Options = table.Options{SeparateHeader: true}
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	tw := t.newWriter(func(s string, m Mark, marked bool) string {
		switch {
		case m.Sign() != "":
			return s + " " + m.Sign()
		case marked:
			return s + "  "
		}
		return s
	})
	tw.SetStyle(style)
	var b strings.Builder
	b.WriteString(wording.SafeLine(t.Title) + "\n\n")
	for line := range strings.SplitSeq(tw.Render(), "\n") {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	if len(t.Notes) > 0 {
		b.WriteByte('\n')
	}
	for _, n := range t.Notes {
		b.WriteString(Wrap("  ", wording.SafeLine(n)))
	}
	return b.String()
}

// Markdown returns the table as Markdown.
func (t Table) Markdown() string {
	var b strings.Builder
	tw := t.newWriter(func(s string, m Mark, _ bool) string {
		if m.Sign() == "" {
			return s
		}
		return "**" + s + "** " + m.Sign()
	})
	b.WriteString("### " + wording.SafeLine(t.Title) + "\n\n" + tw.RenderMarkdown() + "\n\n")
	for _, n := range t.Notes {
		b.WriteString("- " + wording.SafeLine(n) + "\n")
	}
	return b.String()
}

// newWriter holds the table; show adds a cell's mark to its text, marked says
// whether its column has any.
func (t Table) newWriter(show func(s string, m Mark, marked bool) string) table.Writer {
	tw, marks := table.NewWriter(), t.Marks()
	header := table.Row{}
	var columns []table.ColumnConfig
	for j, name := range t.Columns {
		header = append(header, wording.SafeLine(name))
		if t.isNumeric(j) {
			columns = append(columns, table.ColumnConfig{Number: j + 1, Align: text.AlignRight,
				AlignHeader: text.AlignRight})
		}
	}
	tw.AppendHeader(header)
	tw.SetColumnConfigs(columns)
	signed := make([]bool, len(t.Columns))
	for _, row := range marks {
		for j, m := range row {
			signed[j] = signed[j] || m.Sign() != ""
		}
	}
	for i, cells := range t.Rows {
		row := table.Row{}
		for j, c := range cells {
			s := wording.SafeLine(c.String())
			if s == "" {
				s = "–"
			}
			row = append(row, show(s, marks[i][j], signed[j]))
		}
		tw.AppendRow(row)
	}
	return tw
}

func (t Table) isNumeric(column int) bool {
	return slices.ContainsFunc(t.Rows, func(r []Cell) bool { return r[column].Value != nil })
}

// holdsMeans reports whether a column holds means, which have three columns in CSV.
func (t Table) holdsMeans(column int) bool {
	return slices.ContainsFunc(t.Rows, func(r []Cell) bool { return r[column].N > 0 })
}

func writeCSV(w io.Writer, tables []Table) error {
	c := csv.NewWriter(w)
	for i, t := range tables {
		if len(tables) > 1 {
			if i > 0 {
				c.Flush()
				_, _ = io.WriteString(w, "\n")
			}
			_ = c.Write([]string{"table", t.Name})
		}
		for _, record := range t.csvRows() {
			_ = c.Write(record) // Error has it
		}
	}
	c.Flush()
	return c.Error()
}

// csvRows has the column of a mean followed by its standard error and n.
func (t Table) csvRows() [][]string {
	header := []string{}
	means := make([]bool, len(t.Columns)) // once: data of figures have many rows
	for j, name := range t.Columns {
		header = append(header, safeText(name))
		if means[j] = t.holdsMeans(j); means[j] {
			header = append(header, safeText(name+" se"), safeText(name+" n"))
		}
	}
	records := [][]string{header}
	for _, cells := range t.Rows {
		record := []string{}
		for j, c := range cells {
			if c.Value == nil {
				record = append(record, safeText(c.Text))
			} else {
				record = append(record, fullNumber(c.Value))
			}
			if means[j] {
				n := ""
				if c.N > 0 {
					n = strconv.Itoa(c.N)
				}
				record = append(record, fullNumber(c.SE), n)
			}
		}
		records = append(records, record)
	}
	return records
}

func fullNumber(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}

// safeText keeps a spreadsheet from taking a text for a formula.
func safeText(s string) string {
	s = wording.SafeLine(s)
	if wording.IsFormula(s) {
		return "'" + s
	}
	return s
}

// Wrap returns the words of s in lines of at most 110 characters, indent included; the last line ends too.
func Wrap(indent, s string) string {
	var b strings.Builder
	line := indent
	for word := range strings.FieldsSeq(s) {
		if len([]rune(line))+len([]rune(word)) > 110 && strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = indent
		}
		line += word + " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}
