package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// In paper 5's Figure 8b the second and the third agent do not hear each other,
// which is the star around the first.
func TestExampleOfFigure8b(t *testing.T) {
	text, err := os.ReadFile("../../examples/consensus-networks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^ +- star +# Fig\. 8b`).Match(text) {
		t.Errorf("the network called Fig. 8b is not the star:\n%s", text)
	}
}

// TestConsensusExamples: the examples of paper 5 run as they are, but for fewer instances.
func TestConsensusExamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, instances, table string }{
		{"consensus", "300", "montecarlo"}, {"consensus-networks", "20", "influence"}, {"robots", "20", "paths"},
	} {
		var fewer []string
		if !*long {
			if c.file == "consensus-networks" { // the others show the same in little
				continue
			}
			fewer = []string{"instances: " + c.instances, "instances: 3"}
		}
		dir := example(t, c.file+".yaml", fewer...)
		if out := output(t, dir, "run", c.file+".yaml"); !strings.Contains(out, "Coming together") {
			t.Errorf("%s does not end with its table:\n%s", c.file, out)
		}
		output(t, dir, "verify", c.file)
		sameEverywhere(t, dir, c.file)
		if !*long { // it is larger then
			pinned(t, dir, c.file)
		}
		if table := analyse(t, dir, c.file, c.table); len(table.Tables[0].Rows) == 0 {
			t.Errorf("%s: table %s is empty", c.file, c.table)
		}
	}
}

// trajectories of the campaign `killed` as CSV.
func trajectories(t *testing.T, dir string) string {
	t.Helper()
	out, err := program(t, dir, "analyze", "killed", "--table", "trajectories", "--format", "csv").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestConsensusKilled: agents that take time are asked one by one, and steps of
// the world are made between them; killed on the way, the run goes on and ends
// with the trajectories of agents that take no time.
func TestConsensusKilled(t *testing.T) {
	if !*long {
		t.Skip("it runs the program again and again; -long")
	}
	t.Parallel()
	write := func(latency string) func(dir string) {
		return func(dir string) {
			save(t, dir, "campaign.yaml", "name: killed\ninstances: 4\nenv: robots\nprotocol: {name: consensus, rounds: 6}\nmodel: {name: scripted/mixture, "+latency+"malformed: 0.2}\n")
		}
	}
	quick := t.TempDir()
	write("")(quick)
	output(t, quick, "run", "campaign.yaml")
	_, dir, _ := killed(t, 1, write("latency: 100ms, "), killAfter(t, 30))
	if a, b := trajectories(t, quick), trajectories(t, dir); a != b || strings.Count(a, "\n") != 1+4*7*3*2 {
		t.Errorf("agents that take no time go\n%s\nthose that do\n%s", a, b)
	}
}

// TestConsensusLiveKills: robots whose plans come from a faulty service, killed
// with -9 again and again, go where those of a quiet run go: the same rows, and
// no stored answer asked for again.
func TestConsensusLiveKills(t *testing.T) {
	if !*long {
		t.Skip("it waits for a service and kills the program some times; -long")
	}
	t.Parallel()
	service := newService(t)
	text := fmt.Sprintf(`name: killed
instances: 3
env: robots
protocol: {name: consensus, rounds: 6}
model: {name: openai/fake, base_url: %q, api_key_env: OPENAI_API_KEY}
prices: {openai/fake: {input: 1, output: 2}}
grid:
  protocol.network: [full, leader]
  protocol.memory: [full, current]
limits: {collaborations: 8, calls: 24}
`, service.URL+"/v1")
	quiet, dir, _ := killedLive(t, service, 5, func(dir string) { save(t, dir, "campaign.yaml", text) })
	if trajectories(t, quiet) != trajectories(t, dir) {
		t.Error("the trajectories differ")
	}
}

// TestConsensusInvalid: who gives no usable answer stays, and says so in the tables.
func TestConsensusInvalid(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := "name: mute\nenv: consensus\nprotocol: {name: consensus, rounds: 2}\nmodel: scripted/average\nmodels: {A2: {name: scripted/average, malformed: 1}}\nreasks: 0\n"
	save(t, dir, "mute.yaml", text)
	output(t, dir, "run", "mute.yaml")
	table := analyse(t, dir, "mute", "trajectories").Tables[0]
	var start string
	for _, row := range table.Rows {
		if string(row["agent"]) != "2" {
			continue
		}
		if at := string(row["actual"]); start == "" {
			start = at
		} else if at != start || string(row["planned"]) != "null" {
			t.Errorf("agent 2 plans %s and is at %s, from %s", row["planned"], at, start)
		}
	}
	summary := analyse(t, dir, "mute", "summary").Tables[0].Rows
	if got := summary[len(summary)-1]["invalid turns"]; string(got) != "2" {
		t.Errorf("%s invalid turns, want 2", got)
	}
}
