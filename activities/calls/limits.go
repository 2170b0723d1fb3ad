package calls

import (
	"context"

	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/setup"
	"roundtable/activities/throttle"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
)

// filesOfCall is the part of the files that a process may hold open which calls may take.
const filesOfCall = 5

// MostCalls returns how many calls this process can make at once: each holds a connection
// open.
func MostCalls() int { return max(store.OpenFiles()/filesOfCall, 1) }

// DefaultCalls is how many calls a campaign makes at once that sets no limit.
const DefaultCalls = 200

// Manifest returns the present manifest of a campaign (Manifests.Read) and lets
// its limits and caps apply if it was read again.
func (c *Caller) Manifest(ctx context.Context, campaign string, fresh bool) (campaign.Manifest, error) {
	m, isNew, err := c.Manifests.Read(ctx, campaign, fresh)
	if err != nil || !isNew {
		return m, err
	}
	c.campaignCeiling(m)
	if built := c.plans.Built(m.Revision); built != nil {
		c.passCeilings(m, built)
	}
	c.budgets.follow(campaign, c.Manifests)
	return m, nil
}

// CheckHeld returns the error of failure.Held if the campaign holds its calls back, as
// its manifest's copy knows.
func (c *Caller) CheckHeld(ctx context.Context, campaign string) error {
	if _, err := c.Manifest(ctx, campaign, false); err != nil {
		return err
	}
	if reason := c.Manifests.Held(campaign); reason != "" {
		return failure.Held(reason)
	}
	return nil
}

// steered marks the context of a call that is held back with its campaign's.
type steered struct{}

// WithHalts returns a context under which no call begins while its campaign holds calls back: those
// of labels and checks begin all the same.
func WithHalts(ctx context.Context) context.Context { return context.WithValue(ctx, steered{}, true) }

// BeginEpoch lets services be tried at once that have asked for a pause, if this process has
// not heard of a campaign's epoch yet: the campaign was resumed, which it reports.
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
	c.throttles.Campaign(m.Campaign).SetCampaignCeiling(m.Campaign, throttle.Ceiling{Concurrency: atOnce(m.Limits, "")})
}

// Ceiling passes the limits of one model on.
func (c *Caller) Ceiling(m campaign.Manifest, p model.Provider) {
	account := c.throttles.Account(p.Account)
	limits := m.Limits.Models[p.Name]
	account.SetCampaignCeiling(m.Campaign, throttle.Ceiling{
		Requests: int64(limits.RequestsPerMinute), Tokens: int64(limits.TokensPerMinute),
		Concurrency: atOnce(m.Limits, p.Name),
	})
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

// Gates returns the gates before the accounts and campaigns of this process.
func (c *Caller) Gates() []throttle.State { return c.throttles.States() }
