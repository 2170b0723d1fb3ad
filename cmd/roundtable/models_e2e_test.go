package main

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/analysis/lake/record"
)

// mixed is a campaign in which each agent has a model of its own.
const mixed = `name: mixed
replicates: 4
env: exchange
protocol: {name: roundtable, rounds: 2}
model: openai/casey
models: {Alex: openai/alex, Blake: openai/blake}
generate: {max_tokens: 60}
prices: {openai/alex: {input: 0.25, output: 2}, openai/blake: {input: 0.25, output: 2}, openai/casey: {input: 0.25, output: 2}}
grid:
  rule: [majority, plurality]
limits: {collaborations: 2}
`

// TestModelsByAgent: each agent is answered by the model that is named for it,
// in the vendor's eyes and in the tables.
func TestModelsByAgent(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v := newVendor(t)
	dir := write(t, mixed)
	ends(t, 0, dir, v.at(), "run", "campaign.yaml")
	speaker, asked := map[string]string{}, map[string]bool{}
	for _, turn := range rowsOf[record.Turn](t, dir, "mixed") {
		speaker[fmt.Sprintf("%s/%d", turn.CollaborationID, turn.Entry)] = turn.AgentName
	}
	for _, a := range v.arrivals() {
		key := strings.Split(a.key, "/") // campaign, collaboration, entry, ask
		agent := speaker[strings.TrimSuffix(key[1], ".0")+"/"+key[2]]
		if !strings.EqualFold(agent, a.model) {
			t.Fatalf("%s is %s's turn, and %s was asked", a.key, agent, a.model)
		}
		asked[agent] = true
	}
	if len(asked) != 3 {
		t.Errorf("agents asked: %v", asked)
	}
	for _, c := range rowsOf[record.Call](t, dir, "mixed") {
		agent := strings.ToLower(speaker[fmt.Sprintf("%s/%d", c.CollaborationID, c.Entry)])
		if c.ModelAsked != "openai/"+agent || c.ModelAnswered != agent+v.snapshot {
			t.Fatalf("%s entry %d of %s: asked %s, answered by %s", c.CollaborationID, c.Entry, agent, c.ModelAsked, c.ModelAnswered)
		}
	}
	balance(t, dir, "mixed", v)
}

// TestSnapshotChange: a vendor that puts another model behind a name in
// mid-campaign is found out.
func TestSnapshotChange(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v := newVendor(t)
	v.set(func(a *asked) *trick {
		if a.n == 60 { // v.mu is held
			v.snapshot = "-2026-07-01"
		}
		return nil
	})
	dir := write(t, mixed)
	ends(t, 0, dir, v.at(), "run", "campaign.yaml")
	_, warnings := costOf(t, dir, "mixed")
	if len(warnings) != 3 {
		t.Errorf("3 models have changed, cost warns of %q", warnings)
	}
	for _, agent := range []string{"alex", "blake", "casey"} {
		warned := strings.Join(warnings, "\n")
		for _, s := range []string{agent + "-2026-01-01", agent + "-2026-07-01"} {
			if !strings.Contains(warned, s) {
				t.Errorf("cost does not warn of %s:\n%s", s, warned)
			}
		}
	}
}
