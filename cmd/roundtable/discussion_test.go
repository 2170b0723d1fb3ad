package main

import (
	"strings"
	"testing"
)

// Every rule of paper 2 in a discussion of questions and of the exchange
// economy, every paradigm and variant, and its votes at a roundtable: they run,
// and every decision is found again from its ballots, agreements and answers.
func TestDiscussions(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	exampleData(t, dir)
	questions := "instances: 3\nenv: {name: qa, format: bbh, file: orders.json, agents: 3}\ndata: examples/data\nmodel: {name: scripted/answerer, malformed: 0.2}\nreasks: 0\n"
	for name, text := range map[string]string{
		"rules": questions + `
protocol: {name: discussion, rounds: 4, vote_from: 2}
grid:
  rule: [simple, borda, borda5, approval, cumulative25, {name: cumulative, points: 10}, judge, rated, ranked, majority, unanimous,
    majority_consensus, supermajority_consensus, unanimity_consensus, hybrid_consensus]
  protocol.extract: [true, false]
  protocol.all_draft: [true, false]
`,
		"paradigms": questions + `
grid:
  rule: [simple, majority_consensus]
  protocol:
    - {name: discussion, paradigm: relay}
    - {name: discussion, paradigm: report, order: random, personas: neutral}
    - {name: discussion, paradigm: debate, memory: 1, response: critical}
    - {name: discussion, response: reasoning, challenge: solution, personas: none}
    - {name: discussion, response: free_text, challenge: history, neutral: 1}
`,
		"collective": questions + `
grid:
  rule: [simple, solution_counting, approval]
  protocol:
    - {name: discussion, collective: true, challenge: solution}
    - {name: discussion, paradigm: collective_refinement, chain_of_thought: false}
`,
		"exchange": `
env: exchange
protocol: {name: discussion, rounds: 3, vote_from: 1}
model: scripted/trader
grid: {rule: [simple, borda, approval, cumulative25, rated, judge, majority_consensus, solution_counting]}
`,
		"roundtable": `
env: exchange
protocol: {name: roundtable, rounds: 3}
model: scripted/trader
grid: {rule: [borda, borda5, approval, cumulative25]}
`,
	} {
		save(t, dir, "campaign.yaml", "name: "+name+"\n"+text)
		output(t, dir, "run", "campaign.yaml")
		if out := output(t, dir, "verify", name); !strings.Contains(out, "Nothing is wrong.") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// Combinations that make no sense are refused before anything is asked, with the reason.
func TestDiscussionsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exampleData(t, dir)
	for text, reason := range map[string]string{
		"protocol: {name: discussion, collective: true}\nrule: majority_consensus":                 "cannot agree with one another in turn",
		"protocol: {name: discussion, paradigm: collective_refinement}\nrule: unanimity_consensus": "cannot agree with one another in turn",
		"protocol: {name: debate, ballots: true}\nrule: solution_counting":                         "solution counting counts the answers themselves",
		"protocol: debate\nrule: judge\nstop: first_agreement":                                     "first_agreement means nothing for the protocol debate with the rule judge, which decides after the last round",
		"protocol: {name: discussion, vote_from: 9}\nrule: simple":                                 "vote_from",
		"protocol: {name: discussion, challenge: context}\nrule: simple":                           "1 error in the campaign file",
	} {
		save(t, dir, "campaign.yaml", "name: no\nenv: {name: qa, format: bbh, file: orders.json}\ndata: examples/data\nmodel: scripted/answerer\n"+text+"\n")
		out, err := program(t, dir, "plan", "campaign.yaml").CombinedOutput()
		if err == nil || !strings.Contains(string(out), reason) {
			t.Errorf("%s: %v\n%s", text, err, out)
		}
	}
}
