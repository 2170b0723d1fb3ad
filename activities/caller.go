package activities

import (
	"roundtable/activities/answers"
	"roundtable/activities/throttle"
	"roundtable/analysis/storage"
)

// Caller makes calls that cost money: within the limits of accounts and
// campaigns, reserved before they are made and announced in the ledger.
type Caller struct {
	Meter Meter

	store     storage.Store
	answers   *answers.Answers
	plans     *Plans
	manifests *Manifests
	alone     bool // no other process works for the campaigns of the store

	budgets   budgets
	throttles throttle.Registry // of accounts
	trials    trials
}

// NewCaller returns a caller. It is alone if no other process works for the
// campaigns of the store.
func NewCaller(store storage.Store, a *answers.Answers, plans *Plans, manifests *Manifests, alone bool) *Caller {
	return &Caller{
		store: store, answers: a, plans: plans, manifests: manifests, alone: alone,
		budgets: budgets{accounts: map[string]*budget{}},
	}
}
