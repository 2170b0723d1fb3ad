package main

import (
	"os"
	"path/filepath"
	"testing"
)

const allRules = "[simple, borda, cumulative25, approval, majority_consensus, supermajority_consensus, unanimity_consensus]"

// StrategyQA's own questions, where they are.
func TestVotingOrConsensusOnStrategyQA(t *testing.T) {
	t.Parallel()
	file, err := filepath.Abs("../../../shared/data/strategyqa")
	noError(t, err)
	if _, err := os.Stat(filepath.Join(file, "dev.json")); err != nil {
		t.Skip("no StrategyQA next to this checkout")
	}
	if !*long {
		t.Skip("-long")
	}
	sample := "sample: population"
	dir := example(t, "voting-or-consensus.yaml", "data: examples/data", "data: "+file, "strategies.json, agents: 5", "dev.json, agents: 5, "+sample,
		"    - {name: qa, format: squad2, file: passages.json, agents: 5}\n", "", "    - {name: qa, format: bbh, file: orders.json, agents: 5}\n", "", "replicates: 3", "replicates: 1", allRules, "[simple, unanimity_consensus]")
	output(t, dir, "run", "voting-or-consensus.yaml")
	table := analyse(t, dir, "voting-or-consensus", "decision-time")
	const want = 144 // ⌈385/(1+384/229)⌉
	for _, rule := range []string{"simple", "unanimity_consensus"} {
		if n := table.number(t, "n", map[string]string{"rule": rule, "protocol.all_draft": "true"}); n != want {
			t.Errorf("%s: %v discussions, want %v", rule, n, want)
		}
	}
}

// Wrong answers of one campaign are what another one's agents are shown, and
// agree with or not; who does not is asked for an answer of its own. A single
// agent without chain of thought stands next to the one with it.
func TestChallengesOfAnotherModel(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := example(t, "single-agent.yaml")
	exampleData(t, dir)
	save(t, dir, "other.yaml", `name: other
env: {name: qa, format: strategyqa, file: strategies.json}
data: examples/data
protocol: {name: debate, agents: 1, rounds: 0}
rule: plurality
model: {name: scripted/answerer, policy: {accuracy: 0.3}}
`)
	output(t, dir, "run", "other.yaml")
	contains(t, output(t, dir, "export", "other", "--challenges", "-o", "examples/data/wrong.jsonl"), "SIMULATED", "have no wrong answer and are left out")
	save(t, dir, "contested.yaml", `name: contested
env: {name: qa, format: strategyqa, file: strategies.json, challenges: {file: wrong.jsonl}}
data: examples/data
protocol: {name: discussion, personas: none, challenge: wrong}
rule: supermajority_consensus
model: {name: scripted/answerer, policy: {accuracy: 0.9}}
`)
	output(t, dir, "run", "contested.yaml")
	contains(t, output(t, dir, "analyze", "contested", "--table", "challenges"), "SIMULATED", "wrong")
	contains(t, output(t, dir, "query", "SELECT DISTINCT phase FROM turns WHERE campaign_id = 'contested' ORDER BY phase"), "challenge", "new_answer")

	for _, cot := range []string{"true", "false"} {
		save(t, dir, "alone.yaml", `name: alone-`+cot+`
env: {name: qa, format: strategyqa, file: strategies.json, challenges: {file: wrong.jsonl}}
data: examples/data
protocol: {name: debate, agents: 1, rounds: 0, chain_of_thought: `+cot+`}
rule: plurality
model: {name: scripted/answerer, policy: {accuracy: 0.6}}
`)
		output(t, dir, "run", "alone.yaml")
	}
	contains(t, output(t, dir, "analyze", "contested", "--baseline", "alone-true", "--baseline", "alone-false", "--table", "discussion-accuracy"),
		"single agent, no chain of thought", "single agent  ")
}
