package prompt

import (
	"testing"
	"text/template"
)

func TestSteady(t *testing.T) {
	for text, want := range map[string]bool{
		"{{.Task}} You are {{.Me}}, one of {{len .Agents}} in {{.Rounds}} rounds. {{.Rule.Name}}": true,
		"{{with .Background}}{{.}}{{end}}{{if .Protocol.Informed}}yes{{end}}":                     true,
		"{{template \"constant\" .}}":                                true,
		"{{.Round}}":                                                 false,
		"{{if eq .Phase \"vote\"}}a{{else}}b{{end}}":                 false,
		"{{range $i, $m := .Messages}}{{$m.Text}}{{end}}":            false,
		"{{with .Task}}{{$.Merged}}{{end}}":                          false,
		"{{template \"changing\" .}}":                                false,
		"{{if .Task}}{{else}}{{printf \"%v\" (len .Offers)}}{{end}}": false,
	} {
		set := template.Must(template.New("system").Parse(text))
		template.Must(set.New("constant").Parse("{{.Task}}"))
		template.Must(set.New("changing").Parse("{{.Standing}}"))
		if got := isSteady(set, "system"); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if isSteady(template.New(""), "missing") {
		t.Error("a template that is missing is steady")
	}
}
