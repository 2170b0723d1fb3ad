package envs

import "roundtable/envs/jsonschema"

// Described is an Instance that says which form its proposals have, for services that
// hold a model to a JSON Schema, and for what an agent is told whose proposal could not be used.
type Described interface {
	ProposalForm() Form
}

// DescribedEstimate is an Estimating instance that says which form its estimates have.
type DescribedEstimate interface {
	EstimateForm() Form
}

// Form is how a value in JSON is written.
type Form struct {
	Schema jsonschema.Schema
	// Example is one that is valid, in JSON. What it says should be nobody's likely choice:
	// models tend to copy.
	Example string
}
