package activities_test

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/activities/collaboration"
	"roundtable/activities/model"
	"roundtable/activities/setup"
	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

func TestPromptsAndMostCalls(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agents, rounds int
		phases         string
		calls          int
		prompts        string // phase and rounds of the first agent's prompts, by first use
	}{
		{3, 10, "message, proposal, vote", 3 * 3 * 10, "message 1 10, proposal 1 10, vote 1 10"},
		{2, 1, "message, proposal, vote", 2 * 3, "message 1, proposal 1, vote 1"},
		{2, 2, "message, message, proposal, vote", 2 * 4 * 2, "message 1 2, proposal 1 2, vote 1 2"},
		{2, 5, "proposal, {phase: vote, every: 2}", 2*5 + 2*2, "proposal 1 5, vote 2 4"},
		{2, 5, "{phase: message, every: 3}, proposal, vote", 2*1 + 2*5 + 2*5, "proposal 1 5, vote 1 5, message 3"},
		{4, 3, "vote, proposal", 4*3 + 4*2, "proposal 1 3, vote 2 3"}, // nothing to vote for in round 1
		{2, 4, "message", 2 * 4, "message 1 4"},
		{2, 4, "vote", 0, ""},
		{2, 3, "proposal, vote, proposal, vote", 2 * 4 * 3, "proposal 1 3, vote 1 3"},
	} {
		t.Run(c.phases, func(t *testing.T) {
			p := planned(t, fmt.Sprintf(`
name: preview
env: {name: exchange, agents: %d}
protocol: {name: roundtable, rounds: %d, phases: [%s]}
rule: plurality
model: openai/gpt-test
`, c.agents, c.rounds, c.phases))
			models := func(asked plan.Choice, _ plan.Condition, _ envs.Environment) (model.Provider, error) {
				if asked.Name != "scripted/trader" {
					t.Errorf("a preview builds the model %s", asked.Name)
				}
				return model.Provider{Model: trader(0), Simulated: true, Instant: true}, nil
			}
			calls, err := p.Campaign.Conditions[0].MostCalls(catalogue.Builtin(), p.Agents[0])
			noError(t, err)
			same(t, calls, c.calls)
			prompts, err := collaboration.Prompts(p, 0, catalogue.Builtin(), setup.Sources{}, models)
			noError(t, err)
			var shown []string
			rounds := map[string][]int{}
			for _, s := range prompts {
				same(t, len(s.Messages), 2)
				if !strings.Contains(s.Messages[1].Content, "You are "+s.Speaker) {
					t.Errorf("the prompt of %s does not say who it is:\n%s", s.Speaker, s.Messages[1].Content)
				}
				if s.Speaker != "Alex" {
					continue
				}
				if rounds[s.Phase] == nil {
					shown = append(shown, s.Phase)
				}
				rounds[s.Phase] = append(rounds[s.Phase], s.Round)
			}
			for i, phase := range shown {
				shown[i] = phase + " " + strings.Trim(fmt.Sprint(rounds[phase]), "[]")
			}
			same(t, strings.Join(shown, ", "), c.prompts)
		})
	}
}

// The count is that of a collaboration that nothing stops.
func TestPromptsLeaveOutTheStoppingRule(t *testing.T) {
	t.Parallel()
	models := func(plan.Choice, plan.Condition, envs.Environment) (model.Provider, error) {
		return model.Provider{Model: saying(polite), Simulated: true, Instant: true}, nil
	}
	p := planned(t, yaml("stops", 2, 6, "rule: plurality", "grid: {stop: [never, first_agreement]}"))
	for i := range p.Campaign.Conditions {
		calls, err := p.Campaign.Conditions[i].MostCalls(catalogue.Builtin(), p.Agents[i])
		noError(t, err)
		same(t, calls, 36)
		prompts, err := collaboration.Prompts(p, i, catalogue.Builtin(), setup.Sources{}, models)
		noError(t, err)
		same(t, prompts[len(prompts)-1].Round, 6)
	}
}
