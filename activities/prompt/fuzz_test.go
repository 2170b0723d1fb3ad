package prompt

import (
	"strings"
	"testing"
)

// A stranger's template writes a text, or the error names it.
func FuzzPack(f *testing.F) {
	for _, s := range []string{
		"{{.}}", "{{range .}}", `{{template "x" .}}`, "{{.Missing}}", "{{printf \"%d\" 1}}", "{{index . 7}}", "{{ordinal -1}}{{list nil}}", "{{slice \"a\" 1 9}}", "{{call .}}",
		"{{range 1000000}}{{range 1000000}}aaaaaaaaaaaaaaaaaaaa{{end}}{{end}}", `{{define "x"}}{{end}}`, "{{html .}}{{js .}}{{urlquery .}}",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const name = "protocol/x.tmpl"
		templates, err := Pack{name: text}.Parse()
		if err == nil {
			text, err = templates.execute(name, struct {
				Me    string
				Names []string
			}{"a", []string{"b"}})
			if len(text) > maxPrompt && err == nil {
				t.Errorf("%d bytes", len(text))
			}
		}
		if err != nil && !strings.HasPrefix(err.Error(), "prompt ") {
			t.Errorf("the error does not say that it is of a prompt: %v", err)
		}
	})
}
