package calls

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"roundtable/activities/ledger"
	"roundtable/activities/money"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
)

// budgets are the accounts of campaigns under their caps. While mu is held,
// manifests may be looked at (Manifests.Known), never the other way round.
type budgets struct {
	opening singleflight.Group // by campaign

	mu       sync.Mutex
	accounts map[string]*budget // by campaign
}

// budget is an account with the limits that its caps were set by.
type budget struct {
	*money.Account
	limits plan.Limits
}

// openAccount returns the account of a campaign; nil if it is not open.
func (b *budgets) openAccount(campaign string) *money.Account {
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.accounts[campaign]; known != nil {
		return known.Account
	}
	return nil
}

// add puts an account in whose caps were set by m, which may have been tuned
// since it was read.
func (b *budgets) add(m campaign.Manifest, account *money.Account, manifests *setup.Manifests) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.accounts[m.Campaign] = &budget{account, m.Limits}
	b.setCaps(m.Campaign, manifests)
}

// follow sets a campaign's caps to those of its present manifest.
func (b *budgets) follow(campaign string, manifests *setup.Manifests) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.setCaps(campaign, manifests)
}

// setCaps needs mu. Caps that are the same are not set: the account would give
// its grant up for them.
func (b *budgets) setCaps(campaign string, manifests *setup.Manifests) {
	account := b.accounts[campaign]
	now, known := manifests.Known(campaign)
	if account == nil || !known || isSameBudget(account.limits, now.Limits) {
		return
	}
	account.limits = now.Limits
	account.SetCaps(money.NewCaps(now.Limits.CostUSD, now.Limits.Tokens))
}

// isSameBudget reports whether two limits have the same caps.
func isSameBudget(a, b plan.Limits) bool {
	return a.Tokens == b.Tokens && (a.CostUSD == nil) == (b.CostUSD == nil) &&
		(a.CostUSD == nil || *a.CostUSD == *b.CostUSD)
}

// findBudget returns the account of a campaign under the caps of its present
// manifest; nil if nothing limits a free call. It is opened for the first call that can cost
// something, cap or not: a cap that comes later finds what is under way reserved.
func (c *Caller) findBudget(ctx context.Context, m campaign.Manifest, free bool) (*money.Account, error) {
	account := c.budgets.openAccount(m.Campaign)
	if account != nil || free && m.Limits.CostUSD == nil && m.Limits.Tokens == 0 {
		return account, nil
	}
	opened, err, _ := c.budgets.opening.Do(m.Campaign, func() (any, error) { return c.openBudget(ctx, m) })
	if err != nil {
		return nil, err
	}
	return opened.(*money.Account), nil
}

// idleGrant is how long a grant of the budget is kept that no call reserves from.
const idleGrant = 10 * time.Second

func (c *Caller) openBudget(ctx context.Context, m campaign.Manifest) (*money.Account, error) {
	// opened a moment earlier: a second account would not know of its holds
	if account := c.budgets.openAccount(m.Campaign); account != nil {
		return account, nil
	}
	account, err := money.Open(context.WithoutCancel(ctx), money.Config{
		Store: c.store, Campaign: m.Campaign, Caps: money.NewCaps(m.Limits.CostUSD, m.Limits.Tokens),
		Count:     func(ctx context.Context) (money.Amount, error) { return ledger.Spent(ctx, c.store, m.Campaign) },
		Exclusive: c.alone,
		Idle:      idleGrant,
	})
	if err != nil {
		return nil, err
	}
	c.budgets.add(m, account, c.Manifests)
	return account, nil
}

// Close gives back what this process has reserved, of budgets and of the disk, and leaves batches
// to their services.
func (c *Caller) Close(ctx context.Context) error {
	c.batches.Close()
	c.room.release()
	c.budgets.mu.Lock()
	accounts := maps.Clone(c.budgets.accounts)
	c.budgets.mu.Unlock() // rounds that have not ended yet ask for caps while the store answers
	var errs []error
	for _, account := range accounts {
		errs = append(errs, account.Close(ctx))
	}
	return errors.Join(errs...)
}

// Standing returns how a campaign's budget stands; false if this process spends nothing of it.
func (c *Caller) Standing(campaign string) (money.Standing, bool) {
	account := c.budgets.openAccount(campaign)
	if account == nil {
		return money.Standing{}, false
	}
	return account.Standing(), true
}

// Settle charges what an answer has cost, which is stored by now.
func (c *Caller) Settle(q Order, got Paid) {
	got.Hold.Settle(got.Charge)
	if got.Hold != nil && c.Charged != nil {
		c.Charged(q.Run.Campaign)
	}
}

// Standings returns how the budgets stand that this process spends from, by campaign.
func (c *Caller) Standings() map[string]money.Standing {
	c.budgets.mu.Lock()
	defer c.budgets.mu.Unlock()
	all := map[string]money.Standing{}
	for campaign, account := range c.budgets.accounts {
		all[campaign] = account.Standing()
	}
	return all
}
