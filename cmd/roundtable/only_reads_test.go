package main

import (
	"strings"
	"testing"

	"roundtable/cmd/commands"
	"roundtable/workflows/catalogue"
)

// Commands that only read, and those that read before their engine starts, end soon after they are
// interrupted, whatever they are at; those that have paid for something let it come in.
func TestOnlyReads(t *testing.T) {
	for line, want := range map[string]bool{
		"query SELECT": true, "--lake x verify c": true, "view": true, "report c": true, "export c": true, "analyze c --table outcomes": true, "status": true, "list rules": true,
		"plan a.yaml": true, "plan a.yaml --pilot 0.1": true, "run a.yaml": true, "resume c": true, "fork c": true,
		"label c": false, "features c": false, "worker": false, "cancel c": false, "answer c": false, "delete c": false, "nonsense": false, "": false,
	} {
		if got := commands.MayLeave(catalogue.Builtin(), strings.Fields(line)); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}

// A value of another kind is answered with what is expected, not with the name of a function.
func TestFlagsOfAnotherKind(t *testing.T) {
	for line, want := range map[string]string{
		"plan a.yaml --limit x":         `--limit is "x"; expected a whole number`,
		"run a.yaml --no-check=perhaps": `--no-check is "perhaps"; expected true or false`,
	} {
		var out, said strings.Builder
		if code := commands.Execute(t.Context(), catalogue.Builtin(), strings.Fields(line), &out, &said); code != 2 || !strings.Contains(said.String(), want) || strings.Contains(said.String(), "strconv") {
			t.Errorf("%s: code %d: %s", line, code, said.String())
		}
	}
}
