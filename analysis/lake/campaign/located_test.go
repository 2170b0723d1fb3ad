package campaign

import (
	"encoding/json"
	"testing"

	"roundtable/workflows/plan"
)

// Files and programs that a model names are found from any folder; what names none stays as it is.
func TestLocated(t *testing.T) {
	p := Plan{Paths: Paths{Folder: "/lab"}}
	for _, x := range []struct{ name, params, want string }{
		{"replay/a", `{"file":"calls.jsonl"}`, `{"file":"/lab/calls.jsonl"}`},
		{"replay/a", `{"file":"/else/calls.jsonl"}`, `{"file":"/else/calls.jsonl"}`},
		{"replay/a", `{"file":""}`, `{"file":""}`},
		{"replay/a", `{"file":1}`, `{"file":1}`},
		{"replay/a", `{`, `{`},
		{"openai/a", `{"file":"calls.jsonl"}`, `{"file":"calls.jsonl"}`},
		{plan.ProgramPolicy, `{"policy":{"command":["./x"]}}`, `{"policy":{"command":["./x"],"folder":"/lab"}}`},
		{plan.ProgramPolicy, `{"policy":null}`, `{"policy":null}`},
		{plan.ProgramPolicy, `{"policy":"x"}`, `{"policy":"x"}`},
		{plan.ProgramPolicy, `{"other":1}`, `{"other":1}`},
		{plan.ProgramPolicy, `[]`, `[]`},
	} {
		got := p.Located(plan.Choice{Name: x.name, Params: json.RawMessage(x.params)})
		if got.Name != x.name || string(got.Params) != x.want {
			t.Errorf("%s %s: %s, want %s", x.name, x.params, got.Params, x.want)
		}
	}
}
