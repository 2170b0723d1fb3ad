package activities

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"roundtable/activities/answers"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
)

// budget is the account of a campaign, which goes by the present manifest. It is
// opened for the first call that can cost something, cap or not: a cap that
// comes later finds what is under way reserved.
func (a *Activities) budget(ctx context.Context, m Manifest, free bool) (*money.Account, error) {
	a.mu.Lock()
	account := a.accounts[m.Campaign]
	a.mu.Unlock()
	if account != nil || free && m.Limits.CostUSD == nil && m.Limits.Tokens == 0 {
		return account, nil
	}
	opened, err, _ := a.taking.Do("budget of "+m.Campaign, func() (any, error) { return a.openBudget(ctx, m) })
	if err != nil {
		return nil, err
	}
	return opened.(*money.Account), nil
}

func (a *Activities) openBudget(ctx context.Context, m Manifest) (*money.Account, error) {
	a.mu.Lock()
	account := a.accounts[m.Campaign]
	a.mu.Unlock()
	if account != nil { // opened by one who came a moment earlier: a second account would not know of its holds
		return account, nil
	}
	account, err := money.Open(context.WithoutCancel(ctx), money.Config{
		Store: a.config.Store, Campaign: m.Campaign, Caps: money.NewCaps(m.Limits.CostUSD, m.Limits.Tokens),
		Count:     func(ctx context.Context) (money.Amount, error) { return Spent(ctx, a.config.Store, m.Campaign) },
		Exclusive: a.config.Alone,
	})
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.accounts[m.Campaign] = account
	if now, ok := a.manifests[m.Campaign]; ok && !sameBudget(now.Limits, m.Limits) { // tuned while the ledger was counted
		account.SetCaps(money.NewCaps(now.Limits.CostUSD, now.Limits.Tokens))
	}
	return account, nil
}

// Spent counts a campaign's ledger: ended collaborations by their markers,
// others by their stored answers and announced calls, and settled calls at what
// they were billed.
func Spent(ctx context.Context, s storage.Store, campaign string) (money.Amount, error) {
	settled, err := lake.ReadSettled(ctx, s, campaign)
	if err != nil {
		return money.Amount{}, err
	}
	sum := correction(settled)
	add := func(c lake.Charge) { sum = sum.Add(money.Amount{NanoUSD: c.NanoUSD, Tokens: c.Tokens}) }
	markers, unended, err := ledger(ctx, s, campaign)
	for _, m := range markers {
		add(m.Charged)
	}
	for _, u := range unended {
		add(u.stored.Charge())
	}
	return sum, err
}

// unended is a collaboration that has begun and not ended, with what is stored of it.
type unended struct {
	answers.RunKey
	stored answers.Stored
}

// readers is how many collaborations are read at once.
const readers = 16

// ledger reads the markers of a campaign's ended collaborations, and what is
// stored of the others.
func ledger(ctx context.Context, s storage.Store, campaign string) (markers []lake.Marker, others []unended, err error) {
	if markers, err = lake.Commits(ctx, s, campaign); err != nil {
		return nil, nil, err
	}
	ended := map[lake.Run]bool{}
	for _, m := range markers {
		ended[m.Run()] = true
	}
	answers := answers.NewAnswers(s)
	runs, err := answers.Runs(ctx, campaign)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range runs {
		if !ended[lake.Run{Collaboration: p.Collaboration, Generation: p.Generation}] {
			others = append(others, unended{RunKey: p})
		}
	}
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(readers)
	for i := range others {
		all.Go(func() (err error) {
			others[i].stored, err = answers.Load(ctx, others[i].RunKey)
			if errors.Is(err, storage.ErrCorrupt) { // its cell will end as failed and count what can be read, too
				return nil
			}
			return err
		})
	}
	return markers, others, all.Wait()
}

// Close gives back what this process has reserved of budgets.
func (a *Activities) Close(ctx context.Context) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var errs []error
	for _, account := range a.accounts {
		errs = append(errs, account.Close(ctx))
	}
	return errors.Join(errs...)
}
