package envs

import "roundtable/envs/jsonschema"

// Described is an Instance that says which form its proposals have: for services that hold a
// model to a JSON Schema, and to tell an agent whose proposal could not be used.
type Described interface {
	ProposalForm() Form
}

// DescribedEstimate is an Estimating instance that says which form its estimates have.
type DescribedEstimate interface {
	EstimateForm() Form
}

// Form is the form of a value in JSON.
type Form struct {
	Schema jsonschema.Schema
	// Example is a valid value, in JSON. It should be nobody's likely choice: models tend to copy.
	Example string
}
