package recsys

import (
	"roundtable/envs"
	"roundtable/envs/jsonschema"
)

// ProposalForm returns the form of a proposal: an object with one rating.
func (*Instance) ProposalForm() envs.Form {
	return envs.Form{
		Schema:  jsonschema.Object(jsonschema.Property{Name: "rating", Schema: jsonschema.Number(lowest, highest)}),
		Example: string(formatRating(2.37)),
	}
}
