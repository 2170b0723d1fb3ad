package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exampleData is where examples find their made-up questions: a copy, because
// tests change it.
func exampleData(t *testing.T, dir string) {
	t.Helper()
	noError(t, os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples")))
}

func read(t *testing.T, dir, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, file))
	noError(t, err)
	return string(data)
}

// Paper 4's own questions, where they are.
func TestWhoHoldsThePower(t *testing.T) {
	data, err := filepath.Abs("../../../shared/data")
	noError(t, err)
	if _, err := os.Stat(filepath.Join(data, "bbh")); err != nil {
		t.Skip("no BIG-Bench Hard next to this checkout")
	}
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	output(t, dir, "replicate", "paper4/table-1", "--model", "scripted/answerer", "--data", data, "--limit", "20")
	if rows := analyse(t, dir, "paper4-table-1-answerer", "debate-accuracy").Tables[0].Rows; len(rows) != 5 || len(rows[0]) != 3+3*4+1 {
		t.Errorf("%d rows of %d columns, want five strategies on three tasks", len(rows), len(rows[0]))
	}
}

// A pool that a campaign sampled: its answers become viewpoints, and a second
// campaign debates them.
func TestViewpointPool(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := example(t, "viewpoint-pool.yaml", "agents: 400", "agents: 30", "n: 3", "n: 2")
	exampleData(t, dir)
	output(t, dir, "run", "viewpoint-pool.yaml")
	contains(t, output(t, dir, "analyze", "viewpoint-pool", "--figure", "viewpoint-pool"), "<svg", "SIMULATED", "answers, %", "(A), right", "(B)", "scripted/answerer", "30 answers")
	contains(t, output(t, dir, "export", "viewpoint-pool", "--viewpoints", "5", "-o", "examples/data/sampled.jsonl"), "60 rows", "SIMULATED: 60 answers")
	first := read(t, dir, "examples/data/sampled.jsonl")
	output(t, dir, "export", "viewpoint-pool", "--viewpoints", "5", "-o", "examples/data/sampled.jsonl", "--force")
	if again := read(t, dir, "examples/data/sampled.jsonl"); again != first {
		t.Error("the same rows give another pool")
	}
	var line struct {
		Question, Text, Model string
		Right, Simulated      bool
	}
	if err := json.Unmarshal([]byte(strings.SplitN(first, "\n", 2)[0]), &line); err != nil || line.Question == "" || line.Text == "" || line.Model != "scripted/answerer" || !line.Simulated {
		t.Errorf("%v: a viewpoint is %+v", err, line)
	}
	save(t, dir, "debated.yaml", `name: debated
env: {name: qa, format: bbh, file: orders.json, agents: 10, pool: {file: sampled.jsonl, each: 5}}
data: examples/data
protocol: {name: debate, viewpoints: {scaling: correct_first, each: 5}}
rule: plurality
model: scripted/answerer
`)
	output(t, dir, "run", "debated.yaml")
	if rows := analyse(t, dir, "debated", "viewpoints").Tables[0].Rows; len(rows) != 3*4 {
		t.Errorf("%d rows, want one size and three of the reversal for two questions and both", len(rows))
	}
	for flags, says := range map[string]string{
		"--viewpoints 0 -o p.jsonl": "1 or more of each kind", "--viewpoints 5": "-o FILE", "--viewpoints 5 -o p.jsonl --table turns": "no --table",
		"--viewpoints 30 -o p.jsonl": "no question has 30 right and 30 wrong", "--viewpoints 5 -o p.jsonl --condition x": "condition x has no first answers",
		"--viewpoints 5 -o examples/data/sampled.jsonl": "--force",
	} {
		out, err := program(t, dir, append([]string{"export", "viewpoint-pool"}, strings.Fields(flags)...)...).CombinedOutput()
		if err == nil || !strings.Contains(string(out), says) {
			t.Errorf("export %s: %v, %s", flags, err, out)
		}
	}
}
