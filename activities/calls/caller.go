// Package calls makes calls that cost money: within the limits of their account
// and their campaign, reserved at their worst case before they are made, announced
// in the ledger, and charged after their answer is stored.
// A Taker takes one turn with them: it asks until an answer is usable or no re-ask is
// left. A stored answer is never asked for again, and an answer is stored before anything
// else sees it.
//
// Embeddings asks a service for the embeddings of a campaign's texts without the workflow
// engine, so it retries by itself: faults that pass, and when the service says. A batch is
// small enough for every service that we know; no text is requested twice; what the
// operator must fix is not retried; what was requested and billed is counted.
//
// Listeners are told what activities do, as it happens, for metrics, logs and traces. They do
// not affect activities, and without a listener they cost nothing. An event may come twice,
// after a kill or if two processes do the same.
package calls

import (
	"context"
	"sync"

	"roundtable/activities/answers"
	"roundtable/activities/batch"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/setup"
	"roundtable/activities/throttle"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
)

// Caller makes calls that cost money: within the limits of accounts and
// campaigns, reserved before they are made and announced in the ledger.
type Caller struct {
	Meter   Meter
	Charged func(campaign string) // called after an answer was charged; may be nil
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

// NewCaller returns a caller. alone says that no other process works on campaigns of the store.
func NewCaller(store store.Store, a *answers.Answers, plans *setup.Plans, manifests *setup.Manifests,
	alone bool) *Caller {
	return &Caller{
		store: store, answers: a, plans: plans, Manifests: manifests, room: newRoom(store), alone: alone,
		budgets: budgets{accounts: map[string]*budget{}}, epochs: epochs{of: map[string]int{}},
		batches: batch.New(store, alone), Pace: batch.NewPace,
	}
}

// filesOfCall is the part of the files that a process may hold open which calls may take.
const filesOfCall = 5

// MostCalls returns how many calls this process can make at once, from the files that it may hold
// open.
func MostCalls() int { return max(store.OpenFiles()/filesOfCall, 1) }

// DefaultCalls is how many calls at once a campaign without a limit makes.
const DefaultCalls = 200

// Manifest returns the present manifest of a campaign (Manifests.Read) and lets
// its limits and caps apply if it was read again.
func (c *Caller) Manifest(ctx context.Context, campaign string, fresh bool) (campaign.Manifest, error) {
	m, isNew, err := c.Manifests.Read(ctx, campaign, fresh)
	if err != nil || !isNew {
		return m, err
	}
	c.campaignCeiling(m)
	if built := c.plans.LookUp(m.Revision); built != nil {
		c.passCeilings(m, built)
	}
	c.budgets.follow(campaign, c.Manifests)
	return m, nil
}

// CheckHeld returns the error of failure.NewHeld if the campaign holds its calls back, going by the
// copy of its manifest; else nil.
func (c *Caller) CheckHeld(ctx context.Context, campaign string) error {
	if _, err := c.Manifest(ctx, campaign, false); err != nil {
		return err
	}
	if reason := c.Manifests.HoldReason(campaign); reason != "" {
		return failure.NewHeld(reason)
	}
	return nil
}

// steered marks the context of a call that is held back with its campaign's.
type steered struct{}

// WithHalts returns a context under which no call begins while its campaign holds calls back. Calls
// for labels and checks, which have no such context, begin all the same.
func WithHalts(ctx context.Context) context.Context { return context.WithValue(ctx, steered{}, true) }

// BeginEpoch tells this process a campaign's epoch, which grows with each resume. If it has grown,
// services that asked for a pause are tried at once, and isNew is true.
func (c *Caller) BeginEpoch(campaign string, epoch int) (isNew bool) {
	c.epochs.Lock()
	defer c.epochs.Unlock()
	before, known := c.epochs.of[campaign]
	if isNew = known && epoch > before; isNew {
		c.throttles.Reopen()
	}
	c.epochs.of[campaign] = max(before, epoch)
	return isNew
}

// passCeilings passes the limits of a manifest's models on. Campaigns that share an account
// keep the tightest limit of all; limits.calls is the campaign's own.
func (c *Caller) passCeilings(m campaign.Manifest, built *setup.Campaign) {
	for _, cond := range built.Conditions {
		for _, p := range cond.Providers() {
			c.Ceiling(m, p)
		}
	}
}

// campaignCeiling passes limits.calls on.
func (c *Caller) campaignCeiling(m campaign.Manifest) {
	c.throttles.Campaign(m.Campaign).SetCampaignCeiling(m.Campaign, atOnce(m.Limits, ""))
}

// Ceiling sets the throttles of p's account to the limits that manifest m has for the model.
func (c *Caller) Ceiling(m campaign.Manifest, p model.Provider) {
	account := c.throttles.Account(p.Account)
	account.SetCampaignCeiling(m.Campaign, atOnce(m.Limits, p.Name))
	account.SetCeiling(c.tightestCeiling(p.Name))
}

func atOnce(l plan.Limits, name string) int {
	n := DefaultCalls
	if l.Calls > 0 {
		n = l.Calls
	}
	if own := l.Models[name].Calls; own > 0 {
		n = min(n, own)
	}
	return min(n, MostCalls())
}

// tightestCeiling limits of a model over the campaigns of this process.
func (c *Caller) tightestCeiling(name string) throttle.Ceiling {
	var tightest throttle.Ceiling
	for _, m := range c.Manifests.All() {
		l := m.Limits.Models[name]
		tightest.Requests = smallerLimit(tightest.Requests, int64(l.RequestsPerMinute))
		tightest.Tokens = smallerLimit(tightest.Tokens, int64(l.TokensPerMinute))
	}
	return tightest
}

func smallerLimit(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// Gates returns the state of every throttle of this process: one for each account and each
// campaign.
func (c *Caller) Gates() []throttle.State { return c.throttles.States() }
