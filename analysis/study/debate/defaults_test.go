package debate

import (
	"testing"

	"roundtable/analysis/campaign"
	"roundtable/envs/qa"
	"roundtable/workflows/protocol"
)

// A condition records what its file gave, so the tables fill in the protocol's
// defaults: they must be those of the engine, which analysis does not import.
func TestDefaultsAreTheProtocols(t *testing.T) {
	run := Debated{Protocol: `{}`, File: "a.jsonl", Model: "m", Rounds: []string{"AAA", "AAA"}, Truth: "A"}.Run()
	run.SettingsJSON = `{"env":{"name":"qa"},"protocol":{"name":"debate"},"rule":{"name":"plurality"},"stop":{"name":"never"},"model":{"name":"m"}}`
	all := debatesOf(campaign.Campaign{Name: "defaults", Runs: []campaign.Run{run}}, func(debateGroup) bool { return true }).all
	if len(all) != 1 {
		t.Fatalf("%d debates", len(all))
	}
	want := protocol.DefaultDebate()
	if d := all[0]; d.size != qa.Defaults().Agents || d.rounds != want.Rounds || sideOf(d) != want.Viewpoints.Each || d.isFixed() != (want.Viewpoints.Scaling != "") {
		t.Errorf("size %d, rounds %d, side %d; the engine has %d, %d, %d", d.size, d.rounds, sideOf(d), qa.Defaults().Agents, want.Rounds, want.Viewpoints.Each)
	}
}
