package envs

// Estimating is an Instance with a state that agents estimate from what they know. Its prompts
// have an estimate.tmpl: the form of an estimate.
type Estimating interface {
	// Estimate validates an estimate in JSON as a model wrote it and returns it in canonical form.
	// The error can be shown to the model.
	Estimate(text []byte) (string, error)
}

// Estimator is a Policy that estimates the state, as Estimating.Estimate takes it.
type Estimator interface {
	Estimate(Situation) string
}

// Shown is an entry that a Cue's step sees.
type Shown struct {
	Phase    string
	Agent    int // -1 is a speaker with a role
	Text     string
	Proposal Proposal
}
