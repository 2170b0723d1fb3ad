package main

import (
	"os"
	"regexp"
	"testing"
)

// In paper 5's Figure 8b the second and the third agent do not hear each other,
// which is the star around the first.
func TestExampleOfFigure8b(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../examples/consensus-networks.yaml")
	noError(t, err)
	if !regexp.MustCompile(`(?m)^ +- star +# Fig\. 8b`).Match(text) {
		t.Errorf("the network called Fig. 8b is not the star:\n%s", text)
	}
}

// TestConsensusInvalid: who gives no usable answer stays, and says so in the tables.
func TestConsensusInvalid(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
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
