package model

// Provider is a model with what must be known about it.
type Provider struct {
	Model
	Name      string // provider/model, as the campaign names it
	Endpoint  string // who answers, which is not part of a condition; "" if nobody does: simulated or recorded
	Account   string // whose limits a call uses up: an endpoint, the name of a key, and a model
	Simulated bool   // not a language model
	Instant   bool   // takes no time and costs nothing: asked in batches
}
