package calls

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/activities/setup"
	"roundtable/activities/throttle"
	"roundtable/analysis/lake/campaign"
	"roundtable/envs/wording"
	"roundtable/workflows/plan"
)

// need is what a call takes from a budget.
type need struct {
	worst   money.Amount
	priced  bool // its price is known
	bounded bool // worst is
	free    bool // it is simulated or recorded
}

// reserve takes what a call can cost at most from the campaign's budget. When
// nothing is left, the operator must raise it: the manifest is read once more first.
func (c *Caller) reserve(ctx context.Context, m campaign.Manifest, n need) (*money.Hold, error) {
	account, err := c.findBudget(ctx, m, n.free)
	if account == nil || err != nil {
		return nil, err
	}
	if m.Limits.CostUSD != nil && !n.priced {
		return nil, failure.Pause(fmt.Errorf("campaign %s has a budget in US dollars, and the price of a model that "+
			"it asks is not known; give it under prices: in the campaign file", m.Campaign))
	}
	if capped := m.Limits.CostUSD != nil || m.Limits.Tokens > 0; capped && !n.bounded {
		return nil, failure.Pause(fmt.Errorf("campaign %s has a budget, and %w", m.Campaign, money.ErrUnbounded))
	}
	setWaiting(ctx, Wait{For: WaitsBudget, Ends: "calls under way give back what they do not use"})
	defer setIdle(ctx)
	ctx, cancel := untilStopping(ctx)
	defer cancel(nil)
	hold, err := account.Reserve(ctx, n.worst)
	if errors.Is(err, money.ErrSpent) {
		if m, err = c.Manifest(ctx, m.Campaign, true); err == nil {
			hold, err = account.Reserve(ctx, n.worst)
		}
	}
	if err != nil && errors.Is(context.Cause(ctx), throttle.ErrStopping) {
		return nil, throttle.ErrStopping
	}
	if spent, ok := errors.AsType[*money.SpentError](err); ok {
		return nil, failure.Pause(fmt.Errorf("%w; `roundtable resume %s %s` continues%s", spent, m.Campaign,
			spent.Flags(), c.explainUnsettled(ctx, m.Campaign)))
	}
	return hold, err
}

// untilStopping returns a context that ends when the worker stops. Calls of other
// processes, for which a reservation may wait, can take longer than the worker has.
func untilStopping(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	stopping := WorkerStops(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	if stopping != nil {
		go func() {
			select {
			case <-stopping:
				cancel(throttle.ErrStopping)
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}

// explainUnsettled returns what a campaign has reserved for calls of unknown outcome, and
// how that is released; nothing if there are none.
func (c *Caller) explainUnsettled(ctx context.Context, campaign string) string {
	unknown, _, err := ledger.UnknownCalls(ctx, c.store, campaign)
	if err != nil || len(unknown) == 0 {
		return ""
	}
	usd := 0.
	for _, u := range unknown {
		if u.WorstUSD != nil {
			usd += *u.WorstUSD
		}
	}
	return fmt.Sprintf(". $%.4f of it is reserved for %s of unknown outcome: see `roundtable cost %s --settle`", usd,
		wording.Count(len(unknown), "call"), campaign)
}

// fees are the most that services have billed beside tokens for one call. Nothing says them before
// a call: what was billed before is reserved for the next.
type fees struct {
	reading singleflight.Group // by campaign

	mu   sync.Mutex
	read map[string]bool  // campaigns whose earlier answers were looked at
	most map[feeKey]int64 // 1e-9 US dollars
}

type feeKey struct{ campaign, model string }

// note learns what an answer's service has billed beside tokens.
func (f *fees) note(campaign string, a answers.Answer) {
	if a.FeeUSD <= 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.most == nil {
		f.most = map[feeKey]int64{}
	}
	key := feeKey{campaign, a.ModelAsked}
	f.most[key] = max(f.most[key], int64(math.Round(a.FeeUSD*1e9)))
}

// withFee adds the highest fee that is known of a model to the worst case of a call. Under a cap, what
// the campaign's checks and first collaborations were billed is looked up once.
func (c *Caller) withFee(ctx context.Context, m campaign.Manifest, q Order, worst int64) (int64, error) {
	f := &c.fees
	f.mu.Lock()
	fee, read := f.most[feeKey{m.Campaign, q.Provider.Name}], f.read[m.Campaign]
	f.mu.Unlock()
	if read || m.Limits.CostUSD == nil || q.Provider.Endpoint == "" {
		return worst + fee, nil
	}
	_, err, _ := f.reading.Do(m.Campaign, func() (any, error) {
		checks, others, err := ledger.EarlyAnswers(context.WithoutCancel(ctx), c.store, m.Campaign)
		if err != nil {
			return nil, err
		}
		for _, a := range slices.Concat(checks, others) {
			f.note(m.Campaign, a)
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.read == nil {
			f.read = map[string]bool{}
		}
		f.read[m.Campaign] = true
		return nil, nil
	})
	if err != nil {
		return 0, err
	}
	return c.withFee(ctx, m, q, worst)
}

// beyond is how many times more than a request can use a service may say that it
// has: some think beyond the limit that they were set.
const beyond = 10

// unlimited is the most that an answer without a limit may have used, in tokens.
const unlimited = 100_000_000

// isCredible reports whether a call can have used what its service says. It cannot if
// it says nothing, or nothing of an answer that has a text, less than nothing, or far
// more than the request's worst case, which is 0 if nothing bounds it.
func (q Order) isCredible(r model.Response, worst int64) bool {
	u := r.Usage
	most := int64(unlimited)
	if worst > 0 {
		most = beyond * worst
	}
	switch {
	case q.Provider.Endpoint == "": // simulated or recorded
		return true
	case u.Input+u.Output == 0, !q.Wordless && u.Output == 0 && len(r.Text) > 0:
		return false
	case min(u.Input, u.CachedInput, u.CacheWrite, u.Output, u.Reasoning) < 0,
		max(u.CachedInput, u.CacheWrite) > u.Input:
		return false
	}
	return u.Input <= most && u.Output <= most
}

// chargeWorst charges a call of unknown usage at the most that it can have cost: taken
// for nothing, no budget would ever end. What nothing bounds has at most a token a byte.
func (q Order) chargeWorst(got *Paid, price *campaign.Price, r model.Request, worst money.Amount, bounded bool) {
	if !bounded {
		worst, _ = money.Worst(*orFree(price), ByteSize(r.Messages)+len(r.Schema), len(r.Messages),
			len(got.Answer.Raw)+1)
	}
	if worst.Tokens == 0 {
		return
	}
	if told := got.Answer.Usage; told != (model.Usage{}) {
		got.Answer.Told, got.Answer.Usage = &told, model.Usage{}
	}
	got.Charge, got.Answer.WorstTokens = worst, worst.Tokens
	if price != nil {
		usd := worst.USD()
		got.Answer.WorstUSD = &usd
	}
	if worst.NanoUSD > 0 {
		got.Answer.CostUSD, got.Answer.SavedUSD, got.Answer.FeeUSD = nil, nil, 0
	}
}

// budgets are the accounts of campaigns under their caps. While mu is held,
// manifests may be looked at (Manifests.LookUp), never the other way round.
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
	now, known := manifests.LookUp(campaign)
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
		Count:     func(ctx context.Context) (money.Amount, error) { return ledger.ReadSpent(ctx, c.store, m.Campaign) },
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

// Standing returns the state of a campaign's budget; false if this process spends nothing from it.
func (c *Caller) Standing(campaign string) (money.Standing, bool) {
	account := c.budgets.openAccount(campaign)
	if account == nil {
		return money.Standing{}, false
	}
	return account.Standing(), true
}

// Settle charges to the budget what got has cost. Its answer must be stored by now.
func (c *Caller) Settle(q Order, got Paid) {
	got.Hold.Settle(got.Charge)
	if got.Hold != nil && c.Charged != nil {
		c.Charged(q.Run.Campaign)
	}
}

// Standings returns the state of each budget that this process spends from, by campaign.
func (c *Caller) Standings() map[string]money.Standing {
	c.budgets.mu.Lock()
	defer c.budgets.mu.Unlock()
	all := map[string]money.Standing{}
	for campaign, account := range c.budgets.accounts {
		all[campaign] = account.Standing()
	}
	return all
}
