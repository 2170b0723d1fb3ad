package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// exampleData is where examples find their made-up questions: a copy, because
// tests change it.
func exampleData(t *testing.T, dir string) {
	t.Helper()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../../examples")); err != nil {
		t.Fatal(err)
	}
}

// The example of paper 4 through the whole program: the planted bias shows, and
// several answers are better than one.
func TestDebateExample(t *testing.T) {
	t.Parallel()
	dir := example(t, "debate.yaml", "replicates: 3", "replicates: 2", "agents: 10}", "agents: 10, n: 12}")
	exampleData(t, dir)
	output(t, dir, "run", "debate.yaml")
	sameEverywhere(t, dir, "debate")
	pinned(t, dir, "debate")
	table := analyse(t, dir, "debate", "debate-accuracy")
	accuracy := func(strategy string) float64 { return *table.cellOf(t, "strategy", strategy, "orders") }
	if a, b := accuracy("MAD+Truth"), accuracy("MAD, truth first"); a <= b {
		t.Errorf("truth last has %.1f %%, truth first %.1f %%; the last is followed more", a, b)
	}
	if a, b := accuracy("Self-Consistency"), accuracy("Single CoT"); a <= b {
		t.Errorf("ten answers have %.1f %%, one has %.1f %%", a, b)
	}
	if gain := table.cellOf(t, "strategy", "MAD+Truth", "orders gain"); gain == nil {
		t.Error("truth last has no gain over MAD")
	}
	if rounds := analyse(t, dir, "debate", "debate-by-round"); len(rounds.Tables[0].Rows) != 4*7 {
		t.Errorf("%d rows by round", len(rounds.Tables[0].Rows))
	}
	if gains := analyse(t, dir, "debate", "debate-gains"); len(gains.Tables[0].Rows) != 4*4 {
		t.Errorf("%d rows of gains, want four measures of four strategies", len(gains.Tables[0].Rows))
	}
	if repeats := analyse(t, dir, "debate", "debate-repetitions"); len(repeats.Tables[0].Rows) != 4*5 {
		t.Errorf("%d rows by repetition, want four measures of five strategies that debate", len(repeats.Tables[0].Rows))
	}
	contains(t, output(t, dir, "analyze", "debate", "--figure", "debate-accuracy"), "<svg", "SIMULATED", "accuracy, %", "MAD+MADC", "Single CoT", "orders")
	contains(t, output(t, dir, "analyze", "debate", "--figure", "debate-repetitions"), "<svg", "SIMULATED", "accuracy in %", "MAD+MADC", "10 agents", "2 of a strategy")
	contains(t, output(t, dir, "analyze", "debate", "--figure", "debate-by-round"), "<svg", "SIMULATED", "log-likelihood", "entropy", "MAD+MADC", "questions a point")
	output(t, dir, "report", "debate", "-o", "debate.html")
	contains(t, read(t, dir, "debate.html"), "Debates by round: accuracy, log-likelihood, entropy", "Debates: accuracy by strategy and task", "over repetitions")
	output(t, dir, "verify", "debate")
}

// Fixed viewpoints: with agents who follow the last, the first side is overturned.
func TestViewpointsExample(t *testing.T) {
	t.Parallel()
	dir := example(t, "viewpoints.yaml", "contexts: 5", "contexts: 2", "replicates: 2", "replicates: 1")
	exampleData(t, dir)
	output(t, dir, "run", "viewpoints.yaml")
	sameEverywhere(t, dir, "viewpoints")
	pinned(t, dir, "viewpoints")
	table := analyse(t, dir, "viewpoints", "viewpoints")
	for _, x := range []struct {
		column, agents string
		above          bool
	}{{"correct first", "10", true}, {"incorrect first", "10", false}, {"correct first", "20", false}, {"incorrect first", "20", true}} {
		if share := table.cellOf(t, "agents", x.agents, x.column); share == nil || (*share > 0.5) != x.above {
			t.Errorf("%s with %s agents: %v", x.column, x.agents, share)
		}
	}
	for _, column := range []string{"correct first", "incorrect first"} {
		if n := table.cellOf(t, "agents", "reversed at", column); n == nil || *n <= 10 || *n > 20 {
			t.Errorf("%s is reversed at %v", column, n)
		}
	}
	contains(t, output(t, dir, "analyze", "viewpoints", "--figure", "viewpoints"), "<svg", "SIMULATED", "orders-1", "alternating", "half of the outcomes")
	output(t, dir, "report", "viewpoints", "-o", "viewpoints.html")
	contains(t, read(t, dir, "viewpoints.html"), "Debates of fixed viewpoints by number of agents")
}

func read(t *testing.T, dir, file string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Paper 4's own questions, where they are.
func TestWhoHoldsThePower(t *testing.T) {
	bbh, err := filepath.Abs("../../../shared/data/bbh")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(bbh); err != nil {
		t.Skip("no BIG-Bench Hard next to this checkout")
	}
	fewer := "n: 2"
	if *long {
		fewer = "n: 20"
	}
	t.Parallel()
	dir := example(t, "who-holds-the-power.yaml", "BIG-Bench-Hard/bbh", bbh, "n: 100", fewer)
	output(t, dir, "run", "who-holds-the-power.yaml")
	if rows := analyse(t, dir, "who-holds-the-power", "debate-accuracy").Tables[0].Rows; len(rows) != 6 || len(rows[0]) != 3+3*4+1 {
		t.Errorf("%d rows of %d columns, want six strategies on three tasks", len(rows), len(rows[0]))
	}
}

// A pool that a campaign sampled: its answers become viewpoints, and a second
// campaign debates them.
func TestViewpointPool(t *testing.T) {
	t.Parallel()
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

// Debates and debates of fixed viewpoints, killed again and again, come to the
// same rows as when left alone.
func TestDebateKills(t *testing.T) {
	if !*long {
		t.Skip("it runs the program again and again; -long")
	}
	for name, text := range map[string]string{
		"debates": `
env: {name: qa, format: bbh, file: orders.json, agents: 5, n: 8}
grid:
  protocol:
    - {name: debate, rounds: 2, order: truth_last}
    - {name: debate, rounds: 2, order: madc, talk: one_by_one, topology: ring}
    - {name: debate, rounds: 2, order: random, talk: summarizer, remove: [{agent: 1, from: 3}]}
`,
		"viewpoints": `
env: {name: qa, format: bbh, file: orders.json, agents: 20, pool: {file: viewpoints.jsonl, each: 10, contexts: 2}}
protocol: {name: debate, viewpoints: {each: 10}}
replicates: 2
grid:
  protocol.viewpoints.scaling: [correct_first, incorrect_first, alternating]
  protocol.agents: [1, 11, 20]
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := newService(t)
			killedLive(t, service, 4, func(dir string) {
				exampleData(t, dir)
				file := fmt.Sprintf("name: killed\ndata: examples/data\nrule: plurality\nmodel: {name: openai/fake, base_url: %q, api_key_env: OPENAI_API_KEY}\nprices: {openai/fake: {input: 1, output: 2}}\nlimits: {collaborations: 6, calls: 24}\n%s", service.URL+"/v1", text)
				save(t, dir, "campaign.yaml", file)
			})
		})
	}
}
