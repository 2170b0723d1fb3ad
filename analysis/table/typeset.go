package table

import (
	"fmt"
	"html"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"roundtable/envs/wording"
)

// HTML returns the table as a part of a page.
func (t Table) HTML() string {
	tw := t.newWriter(func(s string, m Mark, _ bool) string { return strings.TrimSpace(s + " " + m.Sign()) })
	tw.Style().HTML = table.HTMLOptions{CSSClass: "roundtable", EmptyColumn: "–", EscapeText: true, Newline: "<br>"}
	var b strings.Builder
	fmt.Fprintf(&b, "<h3>%s</h3>\n%s\n", html.EscapeString(wording.SafeLine(t.Title)), tw.RenderHTML())
	if len(t.Notes) > 0 {
		b.WriteString("<ul>\n")
		for _, n := range t.Notes {
			fmt.Fprintf(&b, "<li>%s</li>\n", html.EscapeString(wording.SafeLine(n)))
		}
		b.WriteString("</ul>\n")
	}
	return b.String()
}

// LaTeX returns the table as a float for a paper that loads the package booktabs.
func (t Table) LaTeX() string {
	var b strings.Builder
	columns := strings.Repeat("l", len(t.Columns))
	for j := range t.Columns {
		if t.isNumeric(j) {
			columns = columns[:j] + "r" + columns[j+1:]
		}
	}
	fmt.Fprintf(&b, "\\begin{table}\n\\centering\n\\caption{%s}\n\\begin{tabular}{%s}\n\\toprule\n",
		inLaTeX(t.Title), columns)
	line := func(cells []string) { b.WriteString(strings.Join(cells, " & ") + " \\\\\n") }
	header := make([]string, len(t.Columns))
	for j, name := range t.Columns {
		header[j] = inLaTeX(name)
	}
	line(header)
	b.WriteString("\\midrule\n")
	marks := t.Marks()
	for i, cells := range t.Rows {
		row := make([]string, len(cells))
		for j, c := range cells {
			if row[j] = inLaTeX(c.String()); row[j] == "" {
				row[j] = "--"
			}
			switch m := marks[i][j]; {
			case m.Greatest:
				row[j] = `\textbf{` + row[j] + "}"
			case m.Least:
				row[j] = `\underline{` + row[j] + "}"
			}
		}
		line(row)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	for _, n := range t.Notes {
		fmt.Fprintf(&b, "\\par\\footnotesize %s\n", inLaTeX(n))
	}
	b.WriteString("\\end{table}\n")
	return b.String()
}

// inLaTeX writes a text so that LaTeX prints it as it is.
func inLaTeX(s string) string {
	return strings.NewReplacer(
		`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`,
		"≤", `$\le$`, "≥", `$\ge$`, "±", `$\pm$`, "×", `$\times$`, "→", `$\to$`, "−", `$-$`,
		"²", `$^2$`, "α", `$\alpha$`, "κ", `$\kappa$`, "δ", `$\delta$`, "σ", `$\sigma$`, "–", "--", "↑", `$\uparrow$`,
		"↓", `$\downarrow$`, "·", `$\cdot$`,
	).Replace(wording.SafeLine(s))
}
