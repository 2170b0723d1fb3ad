package calls

import (
	"context"
	"errors"
	"fmt"

	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/activities/money"
	"roundtable/activities/throttle"
	"roundtable/analysis/lake/campaign"
	"roundtable/envs/wording"
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
		return nil, failure.Pause(fmt.Errorf("campaign %s has a budget in US dollars, and the price of a model that it asks is not known; give it under prices: in the campaign file", m.Campaign))
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
