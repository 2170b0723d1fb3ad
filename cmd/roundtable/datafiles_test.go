package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A data set that has changed is not mixed into a campaign that began with another.
func TestChangedData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exampleData(t, dir)
	text := "name: orders\nenv: {name: qa, format: bbh, file: orders.json, agents: 3}\ndata: examples/data\ninstances: 2\nrule: majority\nprotocol: debate\nmodel: scripted/answerer\n"
	save(t, dir, "campaign.yaml", text)
	output(t, dir, "run", "campaign.yaml")
	file := filepath.Join(dir, "examples", "data", "orders.json")
	data, err := os.ReadFile(file)
	noError(t, err)
	noError(t, os.WriteFile(file, append(data, '\n'), 0o600))
	save(t, dir, "campaign.yaml", text+"replicates: 2\n")
	out, err := program(t, dir, "run", "campaign.yaml").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "the data file orders.json is not the one that the campaign began with") {
		t.Fatalf("%v\n%s", err, out)
	}
	noError(t, os.WriteFile(file, data, 0o600))
	output(t, dir, "run", "campaign.yaml")
}
