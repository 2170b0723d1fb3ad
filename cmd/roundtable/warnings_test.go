package main

import (
	"strings"
	"testing"
)

// Replicates that nothing can make differ are said, before and when they are paid.
func TestReplicatesThatCannotDiffer(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	questionsFile(t, dir, "a.jsonl", 2)
	const base = "name: alike\nreplicates: 12\nmodel: openai/gpt-4o-mini\n"
	const warning = "the replicates of an instance need not differ in"
	for text, want := range map[string]string{
		"env: exchange\nprotocol: roundtable\nrule: majority\ngenerate: {temperature: 0}\n":                                                                                        warning + " any condition",
		"env: exchange\nprotocol: roundtable\nrule: majority\ngenerate: {temperature: 0.7, seed: 3}\n":                                                                             warning + " any condition",
		"env: exchange\nprotocol: roundtable\nrule: majority\ngrid: {generate.temperature: [0, 0.7]}\n":                                                                            warning + " 1 of 2 conditions",
		"env: exchange\nprotocol: roundtable\nrule: majority\ngenerate: {temperature: 0.7}\n":                                                                                      "",
		"env: exchange\nprotocol: roundtable\nrule: majority\ngenerate: {temperature: 0}\nreplicates: 1\n":                                                                         "",
		"env: exchange\nprotocol: roundtable\nrule: majority\ngenerate: {temperature: 0}\nmodels: {Blake: scripted/trader}\n":                                                      "",
		"data: .\nenv: {name: qa, format: jsonl, kind: integer, file: a.jsonl, agents: 4}\nprotocol: {name: debate, order: random}\nrule: plurality\ngenerate: {temperature: 0}\n": "",
		"data: .\nenv: {name: qa, format: jsonl, kind: integer, file: a.jsonl, agents: 4}\nprotocol: {name: debate, order: fixed}\nrule: plurality\ngenerate: {temperature: 0}\n":  warning + " any condition",
	} {
		file := base
		if strings.Contains(text, "replicates: 1\n") {
			file = strings.Replace(base, "replicates: 12\n", "", 1)
		}
		save(t, dir, "alike.yaml", file+text)
		out := output(t, dir, "plan", "alike.yaml")
		if want == "" && strings.Contains(out, "need not differ") || want != "" && !strings.Contains(out, want) {
			t.Errorf("%s\nwant %q in\n%s", text, want, out)
		}
	}
}
