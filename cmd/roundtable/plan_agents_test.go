package main

import (
	"encoding/json"
	"testing"
)

// TestPlanCountsMembers: plan shows how many agents take part, which a protocol
// may make fewer than the environment has.
func TestPlanCountsMembers(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		text string
		want []int
	}{
		{"env: {name: exchange, agents: 3}\nprotocol: debate\ngrid: {protocol.agents: [1, 2, 0]}\nmodel: scripted/trader\n", []int{1, 2, 3}},
		{"env: menu\nprotocol: deliberation\ngrid: {protocol.variant: [centralized, deliberation]}\nmodel: scripted/sharer\n", []int{1, 2}},
		{"env: {name: exchange, agents: 3}\nprotocol: {name: roundtable, rounds: 1}\nmodel: scripted/trader\n", []int{3}},
	} {
		var got struct {
			Conditions []struct{ Agents int }
		}
		dir := write(t, "name: members\nrule: plurality\n"+x.text)
		out := ends(t, 0, dir, nil, "plan", "--json", "campaign.yaml").out
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for i, n := range x.want {
			if got.Conditions[i].Agents != n {
				t.Errorf("%s\ncondition %d has %d agents, want %d", x.text, i, got.Conditions[i].Agents, n)
			}
		}
	}
}
