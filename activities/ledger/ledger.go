// Package ledger reads what a campaign has spent and reserved from its stored
// answers, announced calls, markers and settlements. It changes nothing.
package ledger

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"roundtable/activities/answers"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
)

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
	outcomes, err := lake.Progress(ctx, s, campaign)
	if err != nil {
		return money.Amount{}, err
	}
	ended := make([]lake.Run, len(outcomes))
	for i, o := range outcomes {
		ended[i] = o.Run
		add(o.Charged)
	}
	unended, err := readUnended(ctx, s, campaign, ended)
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

// readUnended reads what is stored of the collaborations that have begun and are
// none of those that have ended.
func readUnended(ctx context.Context, s storage.Store, campaign string, but []lake.Run) (others []unended, err error) {
	ended := make(map[lake.Run]bool, len(but))
	for _, run := range but {
		ended[run] = true
	}
	answers := answers.NewAnswers(s)
	begun, err := answers.Runs(ctx, campaign)
	if err != nil {
		return nil, err
	}
	for _, p := range begun {
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
	return others, all.Wait()
}
