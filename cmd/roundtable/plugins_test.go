package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/cmd/commands"
	"roundtable/envs/publicgoods"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/decision"
	"roundtable/workflows/protocol"
	"roundtable/workflows/stopping"
)

// own is the built-in catalogue with a plug-in of each kind that is not in it.
func own(t *testing.T) catalogue.Catalogue {
	t.Helper()
	prompts, err := fs.Sub(protocol.Prompts, "prompts/roundtable")
	if err != nil {
		t.Fatal(err)
	}
	return catalogue.Builtin().
		WithEnvironments(catalogue.NewEnvironment("my_game", "a game", publicgoods.Defaults(), publicgoods.New)).
		WithProtocols(catalogue.NewProtocol("my_talk", "a talk", protocol.DefaultRoundtable(), protocol.NewRoundtable).WithPrompts(prompts)).
		WithRules(catalogue.NewRule("my_rule", "a rule", decision.PluralityParams{}, decision.NewPlurality)).
		WithStopping(catalogue.NewStop("my_stop", "a stop", struct{}{}, catalogue.Fixed(stopping.FirstAgreement{}), stopping.Decisions))
}

func execute(t *testing.T, plugins catalogue.Catalogue, args ...string) (code int, out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = commands.Execute(t.Context(), plugins, append(args, "--lake", filepath.Join(t.TempDir(), "lake")), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// A program's own plug-ins are listed, described to editors, planned and rehearsed. The
// whole of it, from another module, is examples/own-rule, which .ci/run builds and runs.
func TestOwnPlugins(t *testing.T) {
	for _, args := range [][]string{{"list"}, {"list", "--schema"}} {
		if code, out, said := execute(t, own(t), args...); code != 0 || !strings.Contains(out, "my_game") || !strings.Contains(out, "my_talk") || !strings.Contains(out, "my_rule") || !strings.Contains(out, "my_stop") {
			t.Errorf("%v: code %d, %s%s", args, code, out, said)
		}
	}
	file := filepath.Join(t.TempDir(), "campaign.yaml")
	text := "name: own\nenv: my_game\nprotocol: my_talk\nrule: my_rule\nstop: my_stop\nmodel: scripted/cooperator\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, out, said := execute(t, own(t), "plan", file, "--json"); code != 0 {
		t.Errorf("code %d, %s%s", code, out, said)
	}
	if code, _, said := execute(t, catalogue.Builtin(), "plan", file); code == 0 || !strings.Contains(said, `unknown environment "my_game"`) {
		t.Errorf("without them: code %d, %s", code, said)
	}
}

func TestOwnNamesMustBeNew(t *testing.T) {
	twice := own(t).WithRules(own(t).Rules...)
	if code, out, said := execute(t, twice, "list"); code == 0 || out != "" || !strings.Contains(said, `two decision rules called "my_rule"`) {
		t.Errorf("code %d, %s%s", code, out, said)
	}
	if code, out, _ := execute(t, twice, "list", "--json"); code == 0 || !strings.Contains(out, `"exit_code": `) {
		t.Errorf("with --json: code %d, %s", code, out)
	}
}
