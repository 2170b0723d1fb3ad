package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/cmd/internal/cli"
)

// What plan says of a campaign that the lake has is what run then does: cells
// that are there, cells that it would add, or why it would refuse the file.
func TestPlanOfABegunCampaign(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	file := func(replicates, more string) {
		save(t, dir, "grown.yaml", "name: grown\nreplicates: "+replicates+"\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nmodel: scripted/trader\nrule: majority\n"+more)
	}
	file("1", "")
	if out := output(t, dir, "plan", "grown.yaml"); strings.Contains(out, "The lake has this campaign") || !strings.Contains(out, "grown: 1 condition, 1 cell\n") {
		t.Errorf("plan of a campaign that has not begun:\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "lake")); err == nil {
		t.Error("plan makes a lake")
	}
	output(t, dir, "run", "grown.yaml")
	contains(t, output(t, dir, "plan", "grown.yaml"), "The lake has this campaign: 1 of 1 cell finished. A run would add nothing.\n")

	file("3", "")
	const would = "The lake has this campaign: 1 of 1 cell finished. A run would add 2 cells (replicates go from 1 to 3).\n"
	contains(t, output(t, dir, "plan", "grown.yaml"), would)
	contains(t, output(t, dir, "plan", "grown.yaml"), would) // it has not extended the campaign
	d := document(t, output(t, dir, "plan", "grown.yaml", "--json"))
	if there, _ := d["in_lake"].(map[string]any); there["cells"] != 1. || there["finished"] != 1. || there["adds"] != 2. || d["refused"] != "" {
		t.Errorf("as JSON: %v, refused %v", there, d["refused"])
	}
	file("3", "seed: 7\n")
	planned := ends(t, cli.ExitUsage, dir, nil, "plan", "grown.yaml")
	said, err := program(t, dir, "run", "grown.yaml", "--json").Output()
	if err == nil {
		t.Fatalf("run accepts another seed:\n%s", said)
	}
	var refused struct{ Error string }
	if err := json.Unmarshal(said, &refused); err != nil || !strings.Contains(refused.Error, "seed was 1 and is 7") {
		t.Fatalf("run says %v\n%s", err, said)
	}
	contains(t, planned.out, "A run would be refused: "+refused.Error+"\n")
}
