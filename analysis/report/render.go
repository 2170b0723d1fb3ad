package report

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"

	"roundtable/analysis/table"
	"roundtable/envs/wording"
)

//go:embed page
var files embed.FS

// Parts returns the templates of the pages, to which others can add theirs.
func Parts() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"numeric": numericColumns,
		"class":   cellClass,
		"number":  cellText,
		"typeset": typeset,
		"svg":     inlineFigure,
	}).ParseFS(files, "page/*.tmpl"))
}

var templates = Parts()

// head is what every page that stands alone begins with.
type head struct {
	Name    string
	CSP     string
	Style   template.CSS
	Sheet   string // the style sheet's address, in place of Style
	Scripts []template.JS
}

func headOf(name string, scripts ...string) head {
	h := head{Name: name, Style: template.CSS(Asset("style.css"))}
	var allowed []string
	for _, script := range scripts {
		text := Asset(script)
		sum := sha256.Sum256([]byte(text))
		allowed = append(allowed, fmt.Sprintf("'sha256-%s'", base64.StdEncoding.EncodeToString(sum[:])))
		h.Scripts = append(h.Scripts, template.JS(text))
	}
	h.CSP = "default-src 'none'; style-src 'unsafe-inline'; script-src " + cmp.Or(strings.Join(allowed, " "),
		"'none'") + "; img-src data:; base-uri 'none'; form-action 'none'"
	return h
}

// Asset returns the style sheet or script called name, ready to be put in a page; it panics if there is none.
func Asset(name string) string {
	data, err := files.ReadFile("page/" + name)
	if err != nil {
		panic(err) // it is embedded
	}
	return wording.SafeLines(string(data))
}

// render writes a template. What would turn the reading direction or is no
// text at all is dropped wherever it came from.
func render(w io.Writer, name string, data any) error { return Render(w, templates, name, data) }

// Render executes the template called name of set, which must begin with Parts, and writes the result to w.
// Characters that change the reading direction or control a terminal are made visible.
func Render(w io.Writer, set *template.Template, name string, data any) error {
	var b strings.Builder // whose text is no copy: a report's is large
	if err := set.ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	_, err := io.WriteString(w, wording.SafeLines(b.String()))
	return err
}

// numericColumns says of each column of a table whether it holds numbers.
func numericColumns(t table.Table) []bool {
	columns := make([]bool, len(t.Columns))
	for _, row := range t.Rows {
		for j, cell := range row {
			columns[j] = columns[j] || cell.Value != nil
		}
	}
	return columns
}

var (
	threes   = regexp.MustCompile(`\d{3}`)
	noError  = regexp.MustCompile(` \(0\.0+\)$`) // a standard error that is too small for its decimals
	minus    = regexp.MustCompile(`(^|[\s(<])-(\d)`)
	thousand = regexp.MustCompile(`(^|[\s(<−])(\d{1,3})((?:\d{3})+)(\.|[\s)]|$)`)
)

// cellText returns a cell as pages write it.
func cellText(c table.Cell) string {
	if c.Value == nil {
		return c.Text
	}
	text := strings.TrimSuffix(c.String(), noError.FindString(c.String()))
	return thousand.ReplaceAllStringFunc(typeset(text), func(number string) string {
		part := thousand.FindStringSubmatch(number)
		return part[1] + part[2] + threes.ReplaceAllString(part[3], ",$0") + part[4]
	})
}

// typeset returns a text whose negative numbers have a minus sign.
func typeset(text string) string { return minus.ReplaceAllString(text, "$1−$2") }

// cellClass of a table's cell: how it is aligned and coloured.
func cellClass(number bool, m table.Mark) string {
	var names []string
	if number {
		names = append(names, "n")
	}
	switch {
	case m.Least:
		names = append(names, "least")
	case m.Greatest:
		names = append(names, "greatest")
	case m.Heat > 0:
		names = append(names, fmt.Sprint("heat", m.Heat))
	}
	return strings.Join(names, " ")
}

// inlineFigure returns a figure as part of the page. The drawing escapes what it writes.
func inlineFigure(title, svg string) template.HTML {
	label := template.HTMLEscapeString(title)
	return template.HTML(strings.Replace(svg, "<svg", `<svg role="img" aria-label="`+label+`"`, 1))
}
