package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// questionsFile is a data set of n made-up questions.
func questionsFile(t *testing.T, dir, name string, n int) {
	t.Helper()
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf(`{"id": "%s-%d", "question": "What is %d + 1?", "answer": "%d"}`, strings.TrimSuffix(name, ".jsonl"), i, i, i+1))
	}
	save(t, dir, name, strings.Join(lines, "\n")+"\n")
}

// Six data sets of 3 to 600 questions in one file: each runs all of its own.
func TestDataSetsRunAllTheirQuestions(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	sizes := map[string]int{"a.jsonl": 3, "b.jsonl": 8, "c.jsonl": 20, "d.jsonl": 6, "e.jsonl": 12, "f.jsonl": 600}
	cells := 0
	for name, n := range sizes {
		questionsFile(t, dir, name, n)
		cells += n
	}
	file := "name: six\ndata: .\nenv: {name: qa, format: jsonl, kind: integer}\nprotocol: {name: debate, agents: 1, rounds: 0}\nrule: plurality\nmodel: scripted/answerer\n" +
		"grid: {env.file: [a.jsonl, b.jsonl, c.jsonl, d.jsonl, e.jsonl, f.jsonl]}\n"
	save(t, dir, "six.yaml", file)
	plan := output(t, dir, "plan", "six.yaml")
	for name, n := range sizes {
		contains(t, plan, name, fmt.Sprintf("%d × 1", n))
	}
	run := output(t, dir, "run", "six.yaml")
	contains(t, run, "Instances × replicates", "a.jsonl: 3 × 1", "e.jsonl: 12 × 1")
	table := analyse(t, dir, "six", "summary")
	for name, n := range sizes {
		if got := table.find(t, "succeeded", map[string]string{"env.file": name}); got == nil || *got != float64(n) {
			t.Errorf("%s: %v cells succeeded, want %d", name, got, n)
		}
	}
	contains(t, output(t, dir, "verify", "six"), fmt.Sprintf("%d of %d planned cells have ended", cells, cells), "Nothing is wrong.")
}

// The exchange economy and movies in one campaign: one is played replicates
// times, of the others each. An explicit number is what is run.
func TestTwoEnvironmentsInOneCampaign(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	tiny, err := filepath.Abs("../../envs/recsys/testdata/ml-tiny")
	noError(t, err)
	text := fmt.Sprintf("name: both\nreplicates: 2\ndata: %q\nprotocol: {name: roundtable, rounds: 2}\nmodel: scripted/stubborn\ngrid:\n  env: [exchange, {name: recsys, synthetic: true, n: 6}]\n  rule: [majority, rated]\n", tiny)
	save(t, dir, "both.yaml", text+"instances: 1\n")
	output(t, dir, "run", "both.yaml")
	digest := digestBy(t, dir, "both")

	save(t, dir, "both.yaml", text)
	extended := output(t, dir, "run", "both.yaml")
	contains(t, extended, "both is extended from 8 to 28 cells:", " had 1 instance and has 6")
	contains(t, output(t, dir, "verify", "both"), "28 of 28 planned cells have ended", "Nothing is wrong.")
	table := analyse(t, dir, "both", "summary")
	for env, cells := range map[string]float64{"exchange": 2, "recsys": 12} {
		if got := table.find(t, "succeeded", map[string]string{"env": env, "rule": "rated"}); got == nil || *got != cells {
			t.Errorf("%s: %v cells succeeded, want %v", env, got, cells)
		}
	}
	fresh := t.TempDir()
	save(t, fresh, "both.yaml", text)
	output(t, fresh, "run", "both.yaml")
	if a, b := digestBy(t, dir, "both"), digestBy(t, fresh, "both"); a != b || a == digest {
		t.Errorf("the extended campaign has digest %s, one run at once %s, before it was %s", a, b, digest)
	}

	save(t, dir, "both.yaml", text+"instances: {recsys: 4}\n")
	out, err := program(t, dir, "run", "both.yaml").CombinedOutput()
	if err == nil {
		t.Error("instances can be taken away from a campaign")
	}
	contains(t, string(out), "was 6 and is 4; it can only grow")
}

// What the file calls the values of its grid is what plan, tables and comparisons show.
func TestLabelsOfGridValues(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	questionsFile(t, dir, "a.jsonl", 3)
	questionsFile(t, dir, "b.jsonl", 2)
	text := "name: called\nreplicates: 2\ndata: .\nmodel: scripted/answerer\ngrid:\n" +
		"  env:\n    - {label: sums, value: {name: qa, format: jsonl, kind: integer, file: a.jsonl, agents: 2}}\n    - {label: totals, value: {name: qa, format: jsonl, kind: integer, file: b.jsonl, agents: 2}}\n" +
		"  protocol: [{label: nobody speaks, value: {name: debate, rounds: 0}}, {label: a round of debate, value: {name: debate, rounds: 1}}]\n" +
		"  rule: [plurality, ranked]\n  exclude: [{protocol: debate, rule: ranked}]\n"
	save(t, dir, "called.yaml", text)
	contains(t, output(t, dir, "plan", "called.yaml"), "│ sums ", "│ totals ", "│ nobody speaks ", "│ a round of debate ", "3 × 2", "2 × 2", "model scripted/answerer")
	run := output(t, dir, "run", "called.yaml")
	contains(t, run, "sums", "a round of debate", "sums: 3 × 2; totals: 2 × 2")
	table := analyse(t, dir, "called", "summary")
	if got := table.find(t, "succeeded", map[string]string{"env": "totals", "protocol": "nobody speaks"}); got == nil || *got != 4 {
		t.Errorf("%v cells of a labelled condition succeeded, want 4", got)
	}
	contains(t, output(t, dir, "analyze", "called", "--table", "comparisons"), "nobody speaks", "a round of debate")
	save(t, dir, "called.yaml", strings.ReplaceAll(text, "totals", "other sums"))
	contains(t, output(t, dir, "run", "called.yaml"), "is done already", "other sums")
	contains(t, output(t, dir, "verify", "called"), "Nothing is wrong.")
}
