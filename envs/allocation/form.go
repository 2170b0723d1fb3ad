package allocation

import (
	"roundtable/envs"
	"roundtable/envs/joint"
	"roundtable/envs/jsonschema"
)

func agentNames() []string { return []string{agentName(0), agentName(1), agentName(2)} }

// ProposalForm names for each task the agent that does it, or null.
func (s *session) ProposalForm() envs.Form {
	return envs.Form{
		Schema:  jsonschema.ObjectOf(s.Items(), jsonschema.OrNull(jsonschema.OneOf(agentNames()...))),
		Example: string(s.Proposal([]int{1})),
	}
}

// EstimateForm names every resource of each agent, the public ones, and every task of each agent.
func (s *session) EstimateForm() envs.Form {
	quantity := jsonschema.Number(0, joint.Most)
	byAgent := func(names []string) jsonschema.Schema {
		return jsonschema.ObjectOf(agentNames(), jsonschema.ObjectOf(names, quantity))
	}
	example := Estimate{Private: map[string]joint.State{}, Public: joint.State{s.public[0]: 53},
		Values: map[string]joint.State{}}
	for i, agent := range agentNames() {
		example.Private[agent] = joint.State{s.private[0]: float64(17 + 6*i)}
		example.Values[agent] = joint.State{s.tasks[0].Name: float64(31 - 4*i)}
	}
	return envs.Form{
		Schema: jsonschema.Object(
			jsonschema.Property{Name: "private", Schema: byAgent(s.private)},
			jsonschema.Property{Name: "public", Schema: jsonschema.ObjectOf(s.public, quantity)},
			jsonschema.Property{Name: "values", Schema: byAgent(s.Items())}),
		Example: example.String(),
	}
}
