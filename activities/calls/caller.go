// Package calls makes calls that cost money: within the limits of their account
// and their campaign, reserved at their worst case before they are made, announced
// in the ledger, and charged after their answer is stored.
// A Taker takes one turn with them: it asks until an answer is usable or no re-ask is
// left. A stored answer is never asked for again, and nothing hears of an answer before
// it is stored.
//
// Embeddings asks a service for the embeddings of a campaign's texts without the workflow
// engine, so it tries again by itself: as long as a fault passes, and when the service says. A
// batch is small enough for every service that we know; no text is asked for twice; what the
// operator must fix is not tried again; what was asked and billed is counted.
//
// Listeners hear what activities do, as it happens: metrics, logs and traces. Nothing that
// activities do depends on it, and without a listener it costs nothing. An event may come
// twice, after a kill or if two processes do the same.
package calls

import (
	"sync"

	"roundtable/activities/answers"
	"roundtable/activities/batch"
	"roundtable/activities/setup"
	"roundtable/activities/throttle"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
)

// Caller makes calls that cost money: within the limits of accounts and
// campaigns, reserved before they are made and announced in the ledger.
type Caller struct {
	Meter   Meter
	Charged func(campaign string) // hears that an answer was charged; may be nil
	Pace    func(plan.Limits) batch.Pace

	store     store.Store
	answers   *answers.Answers
	plans     *setup.Plans
	Manifests *setup.Manifests
	room      *room
	alone     bool // no other process works for the campaigns of the store

	budgets   budgets
	throttles throttle.Registry // of accounts
	faults    faults
	fees      fees
	tiers     tiers
	batches   *batch.Batches
	epochs    epochs
}

// epochs are how often campaigns were resumed, as far as this process has heard.
type epochs struct {
	sync.Mutex
	of map[string]int
}

// NewCaller returns a caller. It is alone if no other process works for the
// campaigns of the store.
func NewCaller(store store.Store, a *answers.Answers, plans *setup.Plans, manifests *setup.Manifests,
	alone bool) *Caller {
	return &Caller{
		store: store, answers: a, plans: plans, Manifests: manifests, room: newRoom(store), alone: alone,
		budgets: budgets{accounts: map[string]*budget{}}, epochs: epochs{of: map[string]int{}},
		batches: batch.New(store, alone), Pace: batch.NewPace,
	}
}
