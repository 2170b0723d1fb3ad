package prompt

import (
	"flag"
	"strings"
	"testing"

	"roundtable/envs/hostiletest"
)

// Long is the flag of all tests here.
var Long = flag.Bool("long", false, "run the long tests as well")

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
			text, err = templates.executeTemplate(name, struct {
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

// Templates that a stranger could have made of valid ones take neither memory nor time to be
// read and to write a text.
func TestHostileTemplates(t *testing.T) {
	n := 30
	if *Long { // *long
		n = 1000
	}
	hostiletest.ReadFiles(t, n, []string{"You are {{.Me}}.\n{{range .Names}}- {{.}}\n{{end}}{{if .Me}}{{printf \"%d\" 7}}{{else}}{{slice .Me 0 1}}{{end}}\n", `{{define "x"}}{{len .Names}}{{end}}{{template "x" .}}`}, func(data []byte) {
		templates, err := Pack{"protocol/x.tmpl": string(data)}.Parse()
		if err == nil {
			_, _ = templates.executeTemplate("protocol/x.tmpl", struct {
				Me    string
				Names []string
			}{"a", []string{"b"}})
		}
	})
}
