package campaignfile_test

import (
	"slices"
	"strings"
	"testing"
)

const seatedBase = "name: a\nenv: {name: exchange, agents: 3}\nprotocol: debate\nrule: borda\nmodel: scripted/trader\n"

// Agents are read as a list, where a text alone is a role, or as a pool, with stances.
func TestAgents(t *testing.T) {
	c := parse(t, seatedBase+"agents: [nurse, {role: surgeon, votes: 2, model: scripted/stubborn}, {stance: wrong, generate: {temperature: 0}}]\n").Campaign.Conditions[0]
	seated := c.Seated(3, 1)
	if seated[0].Role != "nurse" || *seated[1].Votes != 2 || seated[1].Model.Name != "scripted/stubborn" || seated[2].Stance != "wrong" || *seated[2].Generate.Temperature != 0 {
		t.Errorf("%+v", seated)
	}
	if models := c.AllModels(); len(models) != 2 || models[1].Name != "scripted/stubborn" {
		t.Errorf("%v", models)
	}
	pool := parse(t, seatedBase+"agents: {pool: [a, b, c, d, e], stances: {stubborn: 0.34}}\n").Campaign.Conditions[0]
	drawn := map[string]bool{}
	for seed := range uint64(50) {
		stubborn := 0
		for _, s := range pool.Seated(3, seed) {
			drawn[s.Role] = true
			if s.Stance == "stubborn" {
				stubborn++
			}
		}
		if stubborn != 1 {
			t.Fatalf("%d of 3 are stubborn", stubborn)
		}
	}
	if len(drawn) != 5 {
		t.Errorf("drawn are %v", drawn)
	}
	grid := parse(t, seatedBase+"agents: {stances: {}}\ngrid: {agents.stances.adversarial: [0, 0.34, 0.67]}\n").Campaign.Conditions
	var adversaries []int
	for _, c := range grid {
		n := 0
		for _, s := range c.Seated(3, 9) {
			if s.Stance == "adversarial" {
				n++
			}
		}
		adversaries = append(adversaries, n)
	}
	if !slices.Equal(adversaries, []int{0, 1, 2}) {
		t.Errorf("%v", adversaries)
	}
	listed := parse(t, seatedBase+"agents: [nurse, {role: surgeon, votes: 2}, {stance: wrong}]\n").Shared()
	if !slices.Contains(listed, "agents nurse, surgeon and wrong") {
		t.Errorf("plan says %q", listed)
	}
	if plain := parse(t, seatedBase).Campaign.Conditions[0]; plain.Seated(3, 1) != nil {
		t.Error("a campaign that says nothing of its agents has seats")
	}
}

func TestAgentsFaults(t *testing.T) {
	for agents, want := range map[string]string{
		"[nurse]":                              "line 6: agents: is a list of 1; the environment exchange has 3 agents",
		"{pool: [a, b]}":                       "line 6: agents.pool: has 2 agents; the environment exchange needs 3",
		"{pool: [a, b, c], list: [a, b, c]}":   "line 6: agents: has a list and a pool",
		"[a, b, {rôle: c}]":                    "line 6: agents[2].rôle: unknown key; known are role, description, instructions, style, language, memory, votes, stance, tools",
		"[a, b, {votes: -1}]":                  "line 6: agents[2].votes: is -1; expected 0 to 1000",
		"[{votes: 0}, {votes: 0}, {votes: 0}]": "line 6: agents: has nobody with a vote",
		"[a, b, {tools: [solver]}]":            "line 6: agents[2].tools: means nothing for the protocol debate, whose agents have no tools",
		"{stances: {lazy: 1}}":                 `line 6: agents.stances: "lazy" is not a stance; expected stubborn, wrong or adversarial`,
		"nurse":                                `line 6: agents: "nurse" is neither a list of agents nor a mapping`,
		"[a, b, []]":                           "line 6: agents[2]: a list is not a mapping",
		"{pol: [a]}":                           "line 6: agents.pol: unknown key; known are list, pool, stances; did you mean pool?",
		"[a, b, {model: {nome: x}}]":           "line 6: agents[2].model: has no name",
		"[a, b, {model: scripted/stubborn}]\nmodels: {Casey: scripted/trader}": "line 7: models: an agent has its model under agents already; say it in one place",
	} {
		if got := errorsOf(t, seatedBase+"agents: "+agents+"\n").Error(); !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", agents, got, want)
		}
	}
	const deliberating = "name: a\nenv: menu\nprotocol: deliberation\nrule: unanimous\nmodel: scripted/gourmet\n"
	if got := errorsOf(t, deliberating+"agents: [a, {tools: [solver, saw]}]\n").Error(); !strings.Contains(got, `agents[1].tools: is ["solver" "saw"]; each is solver or calculator, and named once`) {
		t.Error(got)
	}
	twice := strings.Replace(seatedBase, "debate", "{name: discussion, personas: neutral}", 1) + "agents: [a, b, c]\n"
	if got := errorsOf(t, twice).Error(); !strings.Contains(got, `personas: is "neutral", and the agents have roles under agents already`) {
		t.Error(got)
	}
}
