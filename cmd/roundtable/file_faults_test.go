package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/planning"
	"roundtable/workflows/catalogue"
)

// Whoever mends a file is told at once what is wrong with it, the agents' policy included, whatever
// keeps its questions from being read; and of baselines not once more what is said of the questions.
func TestFaultsOfAllPartsAtOnce(t *testing.T) {
	const rest = `model: {name: scripted/answerer, policy: {acccuracy: 0.6, bias: much, conformity: 4, lur: 1}}
generate: {temprature: 1}
protocol: {name: debate, rounds: -1}
rule: plurality
baselines: [single]
`
	policy := []string{
		`model: bias: expected a number, got string`, `model: conformity is 4; it is from 0 to 1`,
		`model: unknown key "acccuracy"; known are accuracy, conformity, insight, bias, lure, verbosity; did you mean accuracy?`,
		`model: unknown key "lur"`, `generate.temprature: unknown key`, `protocol.rounds: is -1`,
	}
	for env, want := range map[string][]string{
		"{name: qa, format: csv, file: q.csv, columns: {question: text}}": {`there is no column "text"`},
		"{name: qa, format: csv, file: none.csv}":                         {"none.csv"},
		"{name: qa, format: csv, file: q.csv, agnts: 3}":                  {"env.agnts: unknown key"},
		"{name: qa, format: csv, file: q.csv}":                            nil,
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{
			"q.csv": "id,question,A,B,answer\n1,Which?,x,y,A\n", "c.yaml": "name: c\ndata: .\nenv: " + env + "\n" + rest,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := store.NewLocal(dir)
		if err != nil {
			t.Fatal(err)
		}
		_, _, _, err = (planning.Flags{}).Read(t.Context(), catalogue.Builtin(), filepath.Join(dir, "c.yaml"), s, false)
		if err == nil {
			t.Fatalf("%s is taken", env)
		}
		lines := strings.Split(err.Error(), "\n")[1:]
		if want = append(want, policy...); len(lines) != len(want) {
			t.Errorf("%s: %d errors, want %d", env, len(lines), len(want))
		}
		for _, line := range lines {
			if at := filepath.Join(dir, "c.yaml") + ": "; strings.Count(line, at) != 1 || !strings.HasPrefix(line, at) {
				t.Errorf("%s: %s does not begin with %s", env, line, at)
			}
		}
		for _, text := range want {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%s: no %q in\n%v", env, text, err)
			}
		}
	}
}
