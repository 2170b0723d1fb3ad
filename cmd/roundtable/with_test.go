package main

import (
	"fmt"
	"strings"
	"testing"
)

// Conditions of two campaigns, in one lake or in two, stand in one table and are paired by
// the questions that both have.
func TestAnalyzeWithOtherCampaigns(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	var questions strings.Builder
	questions.WriteString("id,question,answer\n")
	for i := range 8 {
		fmt.Fprintf(&questions, "q%d,Is statement %d true?,yes\n", i, i)
	}
	save(t, dir, "questions.csv", questions.String())
	start := func(name string, seed, n int, env, lake string) {
		save(t, dir, name+".yaml", fmt.Sprintf("name: %s\nseed: %d\nreplicates: 2\ndata: .\nenv: %s\nprotocol: {name: debate, rounds: 1}\nmodel: scripted/answerer\ngrid:\n  rule: [plurality, majority]\n", name, seed, fmt.Sprintf(env, n)))
		output(t, dir, "run", name+".yaml", "--lake", lake)
	}
	const ours = "{name: qa, format: csv, file: questions.csv, kind: yesno, agents: 3, n: %d}"
	start("first", 1, 8, ours, "lake")
	start("second", 2, 5, ours, "lake")
	start("first", 2, 5, ours, "other")
	save(t, dir, "economy.yaml", "name: economy\nenv: {name: exchange, agents: 3}\nmodel: scripted/trader\nprotocol: roundtable\nrule: majority\n")
	output(t, dir, "run", "economy.yaml")

	both := output(t, dir, "analyze", "first", "--with", "second")
	contains(t, both, "first and second: 52 of 52 collaborations finished", "Outcome of each condition", "Pairwise comparisons",
		"Campaigns first and second: qa: 5 instances in common (of 8 and 5)", "first, n 8, plurality", "second, n 5, majority")
	compared := analyse(t, dir, "first", "comparisons", "--with", "second")
	if n := len(compared.Tables[0].Rows); n != 6 {
		t.Errorf("%d comparisons, want those of four conditions", n)
	}
	contains(t, output(t, dir, "analyze", "first", "--with", "first", "--with-lake", "other"), "first and first (other)", "Campaigns first and first (other): qa: 5 instances in common")
	contains(t, output(t, dir, "analyze", "first", "--with", "second", "--figure", "conditions"), "<svg", "second")
	contains(t, output(t, dir, "analyze", "first", "--with", "economy"), "Campaigns first and economy: no environment in common")
	for flags, want := range map[string]string{
		"--with first":                               "campaign first is compared with itself",
		"--with nothing":                             `the lake ./lake has no campaign "nothing"`,
		"--with-lake other":                          "give --with NAME too",
		"--with second --table all":                  "",
		"--with second --table dialogue-acts":        "no message of campaign first is labelled",
		"--with economy --table worth-by-round":      "",
		"--with second --table deliberation-rewards": "Campaigns first and second: qa: 5 instances in common",
	} {
		out, err := program(t, dir, append([]string{"analyze", "first"}, strings.Fields(flags)...)...).CombinedOutput()
		if (err != nil) != (want != "") || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s", flags, err, out)
		}
	}
}
