package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

const allRules = "[simple, borda, cumulative25, approval, majority_consensus, supermajority_consensus, unanimity_consensus]"

// The example of paper 2 through the whole program. Agents who always repeat
// what they have heard make most figures known beforehand.
func TestVotingOrConsensusExample(t *testing.T) {
	t.Parallel()
	orders := "    - {name: qa, format: bbh, file: orders.json, agents: 5}\n"
	fewer := []string{"replicates: 3", "instances: 12", "conformity: 0.95", "conformity: 1", orders, ""}
	dir := example(t, "voting-or-consensus.yaml", append(fewer, allRules, "[simple, majority_consensus]")...)
	exampleData(t, dir)
	alone, err := os.ReadFile(filepath.Join(example(t, "single-agent.yaml", fewer...), "single-agent.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	save(t, dir, "single-agent.yaml", string(alone))
	output(t, dir, "run", "voting-or-consensus.yaml")
	output(t, dir, "run", "single-agent.yaml")
	sameEverywhere(t, dir, "single-agent")
	pinned(t, dir, "single-agent")
	sameEverywhere(t, dir, "voting-or-consensus")
	pinned(t, dir, "voting-or-consensus")
	output(t, dir, "verify", "voting-or-consensus")
	table := func(name string) analysed {
		return analyse(t, dir, "voting-or-consensus", name, "--baseline", "single-agent")
	}
	row := func(drafts, rule string) map[string]string {
		return map[string]string{"data set": "strategyqa", "protocol.all_draft": drafts, "rule": rule}
	}
	equal := func(what string, got, want float64) {
		t.Helper()
		if got != want {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
	}
	// Without drafts everybody repeats the first agent: voting and consensus decide
	// the same, in the first turn, with all alike. Personas, messages, answers and
	// votes of five are 20 calls; personas, three messages and an answer are 9.
	compute, turns, kinds := table("discussion-compute"), table("decision-time"), table("voting-against-consensus")
	for rule, calls := range map[string]float64{"simple": 20, "majority_consensus": 9} {
		equal(rule+": calls", compute.number(t, "calls", row("false", rule)), calls)
		equal(rule+": calls ×", compute.number(t, "calls ×", row("false", rule)), calls)
		equal(rule+": decided in turn 1", turns.number(t, "@1", row("false", rule)), 100)
	}
	plain, drafted := map[string]string{"data set": "strategyqa", "protocol.all_draft": "false"}, map[string]string{"data set": "strategyqa", "protocol.all_draft": "true"}
	equal("voting - consensus without drafts", kinds.number(t, "voting - consensus", plain), 0)
	if d := kinds.number(t, "voting - consensus", drafted); d <= 0 {
		t.Errorf("voting - consensus on drafts is %v; the majority of five is right more often than one", d)
	}
	diversity := table("answer-diversity")
	if a, b := diversity.number(t, "answer similarity", plain), diversity.number(t, "answer similarity", drafted); b >= a {
		t.Errorf("answers are alike by %v, and with drafts by %v; want less", a, b)
	}
	folder, err := filepath.Abs("../../analysis/embedding/sentence/testdata/tiny")
	if err != nil {
		t.Fatal(err)
	}
	embedded := analyse(t, dir, "voting-or-consensus", "answer-diversity", "--embedder", folder)
	service, flags := embeddingsService(t, new(atomic.Int32))
	output(t, dir, append([]string{"features", "voting-or-consensus", "--price", `{"input": 0}`}, flags...)...)
	service.Close() // answers and personas were bought with the messages
	analyse(t, dir, "voting-or-consensus", "answer-diversity", flags...)
	if a, b := embedded.number(t, "answer similarity", plain), diversity.number(t, "answer similarity", plain); a == b || a < -1 || a > 1+1e-9 {
		t.Errorf("answers are alike by %v with a sentence transformer, by %v without", a, b)
	}
	// Who votes for its own answer votes as counting counts.
	equal("decided - counted", table("solution-counting").number(t, "decided - counted", row("true", "simple")), 0)
	f1 := table("answerable-questions")
	answerable := map[string]string{"data set": "squad2", "protocol.all_draft": "true", "rule": "simple"}
	equal("answerable questions", f1.number(t, "answerable n", answerable), 6)
	if d := 2*f1.number(t, "all", answerable) - f1.number(t, "answerable", answerable) - f1.number(t, "not answerable", answerable); math.Abs(d) > 1e-9 {
		t.Errorf("F1 is off the mean of its halves by %v", d)
	}
	if gain := table("discussion-accuracy").number(t, "strategyqa gain", map[string]string{"protocol.all_draft": "true", "rule": "simple"}); gain <= 0 {
		t.Errorf("voting on drafts gains %v over one agent", gain)
	}
	contains(t, output(t, dir, "analyze", "voting-or-consensus", "--baseline", "single-agent", "--figure", "discussion-accuracy"),
		"<svg", "SIMULATED", "single agent", "majority_consensus", "strategyqa, protocol.all_draft true", "One replicate")
	contains(t, output(t, dir, "analyze", "voting-or-consensus", "--figure", "answerable-questions"), "not answerable", "F1, %")
	contains(t, output(t, dir, "analyze", "voting-or-consensus", "--figure", "all-agents-drafting"), "baseline", "all-agents drafting")
	if out, err := program(t, dir, "analyze", "voting-or-consensus", "--figure", "challenges").CombinedOutput(); err == nil || !strings.Contains(string(out), "is challenged") {
		t.Errorf("nothing was challenged: %v, %s", err, out)
	}
	if out, err := program(t, dir, "analyze", "voting-or-consensus", "--figure", "discussion-accuracy", "--baseline", "nobody").CombinedOutput(); err == nil || !strings.Contains(string(out), "single-agent") {
		t.Errorf("there is no such baseline: %v, %s", err, out)
	}
	output(t, dir, "report", "voting-or-consensus", "-o", "report.html")
	contains(t, read(t, dir, "report.html"), "All-agents drafting by decision protocol")
}

// Figures 4 to 7: more agents are better, more turns are not; what is irrelevant
// is always challenged, and who knows the history challenges less.
func TestSizesAndChallengesExamples(t *testing.T) {
	if !*long {
		t.Skip("it runs some hundreds of discussions; -long")
	}
	t.Parallel()
	dir := example(t, "discussion-sizes.yaml", "replicates: 3", "instances: 12", "[1, 3, 5, 9]", "[1, 3, 9]", "conformity: 0.9", "conformity: 1")
	exampleData(t, dir)
	output(t, dir, "run", "discussion-sizes.yaml")
	sameEverywhere(t, dir, "discussion-sizes")
	pinned(t, dir, "discussion-sizes")
	sizes := analyse(t, dir, "discussion-sizes", "discussion-scaling")
	if s := sizes.number(t, "slope", map[string]string{"by": "agents", "protocol.rounds": "1"}); s <= 0 {
		t.Errorf("an agent more brings %v points", s)
	}
	if s := sizes.number(t, "slope", map[string]string{"by": "rounds before the vote", "env.agents": "9"}); s >= 0 {
		t.Errorf("a turn more brings %v points", s)
	}
	contains(t, output(t, dir, "analyze", "discussion-sizes", "--figure", "discussion-by-rounds"), "<svg", "SIMULATED", "env.agents 9", "Dashes:")
	contains(t, output(t, dir, "analyze", "discussion-sizes", "--figure", "discussion-by-agents"), "<svg", "SIMULATED", "protocol.rounds 6")
	dir = example(t, "challenges.yaml", "replicates: 3", "instances: 12")
	exampleData(t, dir)
	output(t, dir, "run", "challenges.yaml")
	sameEverywhere(t, dir, "challenges")
	pinned(t, dir, "challenges")
	challenges := analyse(t, dir, "challenges", "challenges")
	contains(t, output(t, dir, "analyze", "challenges", "--figure", "challenges"), "<svg", "SIMULATED", "irrelevant", "95 % intervals")
	contains(t, output(t, dir, "analyze", "challenges", "--figure", "challenge-outcomes"), "<svg", "SIMULATED", "worsened")
	rate := func(shown string) float64 {
		return challenges.number(t, "challenged", map[string]string{"shown": shown})
	}
	if rate("irrelevant") != 100 || rate("history") >= rate("solution") || rate("wrong") <= rate("solution") {
		t.Errorf("challenged: irrelevant %v, wrong %v, solution %v, with history %v", rate("irrelevant"), rate("wrong"), rate("solution"), rate("history"))
	}
}

// StrategyQA's own questions, where they are.
func TestVotingOrConsensusOnStrategyQA(t *testing.T) {
	t.Parallel()
	file, err := filepath.Abs("../../../shared/data/strategyqa")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(file, "dev.json")); err != nil {
		t.Skip("no StrategyQA next to this checkout")
	}
	sample := "n: 3"
	if *long {
		sample = "sample: population"
	}
	dir := example(t, "voting-or-consensus.yaml", "data: examples/data", "data: "+file, "strategies.json, agents: 5", "dev.json, agents: 5, "+sample,
		"    - {name: qa, format: squad2, file: passages.json, agents: 5}\n", "", "    - {name: qa, format: bbh, file: orders.json, agents: 5}\n", "", "replicates: 3", "replicates: 1", allRules, "[simple, unanimity_consensus]")
	output(t, dir, "run", "voting-or-consensus.yaml")
	table := analyse(t, dir, "voting-or-consensus", "decision-time")
	want := 3.0
	if *long {
		want = 144 // ⌈385/(1+384/229)⌉ = 144
	}
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
