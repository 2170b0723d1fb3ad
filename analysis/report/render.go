package report

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"roundtable/analysis/safetext"
	"roundtable/analysis/table"
	"roundtable/analysis/telling"
)

//go:embed *.tmpl style.css filter.js
var files embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"numeric": numeric,
	"class":   class,
	"svg":     inline,
	"number":  number,
}).ParseFS(files, "*.tmpl"))

// head is what every page begins with.
type head struct {
	Name   string
	CSP    string
	Style  template.CSS
	Script template.JS
}

func headOf(name string) head {
	style, script := assetText("style.css"), assetText("filter.js")
	sum := sha256.Sum256([]byte(script))
	return head{
		Name: name, Style: template.CSS(style), Script: template.JS(script),
		CSP: fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'; base-uri 'none'; form-action 'none'",
			base64.StdEncoding.EncodeToString(sum[:])),
	}
}

// assetText returns a file of ours as it will stand in the page.
func assetText(name string) string {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return safetext.Lines(string(data))
}

// render writes a template. What would turn the reading direction or is no
// text at all is dropped wherever it came from.
func render(w io.Writer, name string, data any) error {
	var b bytes.Buffer
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	_, err := io.WriteString(w, safetext.Lines(b.String()))
	return err
}

// numeric says of each column of a table whether it holds numbers.
func numeric(t table.Table) []bool {
	columns := make([]bool, len(t.Columns))
	for _, row := range t.Rows {
		for j, cell := range row {
			columns[j] = columns[j] || cell.Value != nil
		}
	}
	return columns
}

// class of a table's cell: how it is aligned and coloured.
func class(number bool, m table.Mark) string {
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

// inline returns a figure as part of the page. The drawing escapes what it writes.
func inline(f figure) template.HTML {
	label := template.HTMLEscapeString(f.Title)
	return template.HTML(strings.Replace(f.SVG, "<svg", `<svg role="img" aria-label="`+label+`"`, 1))
}

// number returns an optional value for people.
func number(v any, format string) string {
	switch v := v.(type) {
	case *float64:
		if v != nil {
			return fmt.Sprintf(format, telling.Rounded(*v))
		}
	case *int32:
		if v != nil {
			return fmt.Sprintf(format, *v)
		}
	}
	return "–"
}
