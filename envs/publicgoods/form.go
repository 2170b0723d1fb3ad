package publicgoods

import (
	"roundtable/envs"
	"roundtable/envs/jsonschema"
)

// ProposalForm gives each agent a contribution.
func (in *instance) ProposalForm() envs.Form {
	agents := names[:in.params.Agents]
	example := make([]float64, len(agents))
	for i := range example {
		example[i] = in.params.Endowment * float64(i+1) / float64(len(agents)+2)
	}
	return envs.Form{
		Schema:  jsonschema.ObjectOf(agents, jsonschema.Number(0, in.params.Endowment)),
		Example: string(canonicalProposal(example, agents)),
	}
}
