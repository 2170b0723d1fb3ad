package table

import (
	"fmt"
	"html"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"roundtable/envs/wording"
)

// HTML returns the table as an HTML fragment.
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

// inLaTeX writes a text so that LaTeX prints it as it is, also at the beginning of a row, where [ begins a length.
func inLaTeX(s string) string {
	return strings.NewReplacer(
		`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "[", "{[}", "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
		"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`,
		"≤", `$\le$`, "≥", `$\ge$`, "±", `$\pm$`, "×", `$\times$`, "→", `$\to$`, "−", `$-$`,
		"²", `$^2$`, "α", `$\alpha$`, "κ", `$\kappa$`, "δ", `$\delta$`, "σ", `$\sigma$`, "–", "--", "↑", `$\uparrow$`,
		"↓", `$\downarrow$`, "·", `$\cdot$`, "≈", `$\approx$`, "√", `$\surd$`, "χ", `$\chi$`, "…", `\dots{}`, "§", `\S{}`,
	).Replace(wording.SafeLine(s))
}
