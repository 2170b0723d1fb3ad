package activities

import (
	"context"
	"fmt"
	"sync"
	"time"

	"roundtable/activities/ledger"
	"roundtable/activities/money"
	"roundtable/activities/programs"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// Notify sends notice of a campaign's pause or end to the receivers that its manifest names. It
// returns only errors of the lake: nobody waits for a webhook.
func (a *Activities) Notify(ctx context.Context, in task.Notice) (struct{}, error) {
	m, err := a.caller.Manifest(ctx, in.Campaign, true)
	if err != nil {
		return struct{}{}, err
	}
	n := programs.Notice{
		Event: in.Event, Campaign: in.Campaign, Reason: in.Reason, Paused: in.Event == plan.NotifyPause,
		Time: in.At, Cells: in.Cells, Succeeded: in.Succeeded, Failed: in.Failed, Stopped: in.Stopped,
	}
	if n.Paused && money.IsSpent(in.Reason) {
		n.Event = plan.NotifyBudget
	}
	if n.Paused {
		n.ID = programs.NewNoticeID(n.Event, in.Campaign, in.Key)
	} else {
		success, err := lake.ReadSuccess(ctx, a.config.Store, in.Campaign)
		if err != nil {
			return struct{}{}, err
		}
		n.ID = programs.EndNoticeID(in.Campaign, success, in.Succeeded, in.Failed, in.Stopped)
	}
	return struct{}{}, a.send(ctx, m, n, in.Event, n.Event)
}

// send says what happened, sends a notice of these events, and says what could not be sent.
func (a *Activities) send(ctx context.Context, m campaign.Manifest, n programs.Notice, events ...string) error {
	if attemptOf(ctx) == 1 {
		a.config.sayNoticed(n, nil)
	}
	unsent, err := a.notices.Deliver(ctx, m, n,
		func(ctx context.Context) (money.Amount, error) { return a.amountSpent(ctx, n.Campaign) }, events...)
	if err == nil && unsent != nil {
		a.config.sayNoticed(n, unsent)
	}
	return err
}

// amountSpent returns what a campaign has spent, as its account knows if this process has one.
func (a *Activities) amountSpent(ctx context.Context, campaign string) (money.Amount, error) {
	if s, ok := a.caller.Standing(campaign); ok {
		return s.Spent, nil
	}
	return ledger.ReadSpent(ctx, a.config.Store, campaign)
}

// sayNoticed says what has happened, or what of it could not be sent.
func (c Config) sayNoticed(n programs.Notice, unsent error) {
	if c.Noticed != nil {
		c.Noticed(n, unsent)
	}
}

// budgetShare of a cap is when word is sent of the budget, before it is used up.
const budgetShare = 0.8

// budgetWatch sends word of budgets that are nearly used up, once for each cap.
type budgetWatch struct {
	mu      sync.Mutex
	known   map[string]string // ids of notices by campaign
	sending sync.WaitGroup
}

// forget lets a notice be sent once more that could not be.
func (b *budgetWatch) forget(campaign, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known[campaign] == id {
		delete(b.known, campaign)
	}
}

// watchBudget looks at the budget of a campaign after something was charged to it.
func (a *Activities) watchBudget(campaign string) {
	s, ok := a.caller.Standing(campaign)
	if !ok {
		return
	}
	share := 0.
	if most := s.Caps.NanoUSD; most != nil && *most > 0 {
		share = float64(s.Spent.NanoUSD) / float64(*most)
	}
	if most := s.Caps.Tokens; most != nil && *most > 0 {
		share = max(share, float64(s.Spent.Tokens)/float64(*most))
	}
	if share < budgetShare {
		return
	}
	id := programs.NewNoticeID(plan.NotifyBudget, campaign, s.Caps.String())
	a.budgets.mu.Lock()
	defer a.budgets.mu.Unlock()
	if a.budgets.known[campaign] == id {
		return
	}
	a.budgets.known[campaign] = id
	a.budgets.sending.Go(func() { a.sendBudget(campaign, id, share) })
}

// budgetTime bounds the sending of one notice of a budget.
const budgetTime = time.Minute

func (a *Activities) sendBudget(campaign, id string, share float64) {
	ctx, cancel := context.WithTimeout(context.Background(), budgetTime)
	defer cancel()
	n := programs.Notice{ID: id, Event: plan.NotifyBudget, Campaign: campaign,
		Reason: fmt.Sprintf("%.0f %% of the budget is spent", 100*share)}
	m, err := a.caller.Manifest(ctx, campaign, false)
	if err == nil {
		err = a.send(ctx, m, n, plan.NotifyBudget)
	}
	if err != nil {
		a.config.sayNoticed(n, err)
		a.budgets.forget(campaign, id)
	}
}
