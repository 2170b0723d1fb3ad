// Package ledger reads what a campaign has spent and reserved from its stored
// answers, announced calls, markers and settlements. It changes nothing.
package ledger

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"roundtable/activities/answers"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/task"
)

// Books are one reading of a campaign's ledger. They cache what they list and read, since listing a
// large campaign takes most of the time.
type Books struct {
	campaign string
	answers  *answers.Answers
	begun    func() ([]answers.RunKey, error)
	ended    func() ([]lake.Run, error)
	outcomes func() ([]lake.Outcome, error)
	settled  func() (lake.Settled, error)
}

// Open returns the books of a campaign. They read under ctx.
func Open(ctx context.Context, s store.Store, campaign string) *Books {
	b := &Books{campaign: campaign, answers: answers.NewAnswers(s)}
	b.begun = sync.OnceValues(func() ([]answers.RunKey, error) { return b.answers.Runs(ctx, campaign) })
	b.ended = sync.OnceValues(func() ([]lake.Run, error) { return lake.Ended(ctx, s, campaign) })
	b.settled = sync.OnceValues(func() (lake.Settled, error) { return lake.ReadSettled(ctx, s, campaign) })
	b.outcomes = sync.OnceValues(func() ([]lake.Outcome, error) {
		ended, err := b.ended()
		if err != nil {
			return nil, err
		}
		return lake.ProgressOf(ctx, s, campaign, ended)
	})
	return b
}

// List fetches the lists that the other methods need, both at once. Their errors are returned by
// those methods.
func (b *Books) List() {
	var listing sync.WaitGroup
	listing.Go(func() { _, _ = b.begun() })
	listing.Go(func() { _, _ = b.ended() })
	listing.Wait()
}

// Outcomes returns how the latest generation of each collaboration has ended, as
// lake.LatestProgress does.
func (b *Books) Outcomes() ([]lake.Outcome, error) {
	all, err := b.outcomes()
	return lake.LatestOutcomes(all), err
}

// SpentOnEnded returns what the ended collaborations have taken together, every generation; settled
// calls count what they were billed, not their worst case.
func (b *Books) SpentOnEnded() (spent task.Result, err error) {
	settled, err := b.settled()
	if err != nil {
		return spent, err
	}
	all, err := b.outcomes()
	for _, o := range all {
		spent.Add(ResultOf(o))
		spent.CostUSD, spent.WorstUSD = settled.Correct(o.Run, spent.CostUSD, spent.WorstUSD)
	}
	return spent, err
}

// TakeEnded sets the runs that count as ended. Use it where rows were read already that must be
// neither counted twice nor left out.
func (b *Books) TakeEnded(runs []lake.Run) {
	b.ended = func() ([]lake.Run, error) { return runs, nil }
}

// ReadSpent opens a campaign's books and returns Books.ReadSpent.
func ReadSpent(ctx context.Context, s store.Store, campaign string) (money.Amount, error) {
	return Open(ctx, s, campaign).ReadSpent(ctx)
}

// ReadSpent counts a campaign's ledger: ended collaborations by their markers,
// others by their stored answers and announced calls, and settled calls at what
// they were billed.
func (b *Books) ReadSpent(ctx context.Context) (money.Amount, error) {
	settled, err := b.settled()
	if err != nil {
		return money.Amount{}, err
	}
	sum := settledCorrection(settled)
	add := func(c lake.Charge) { sum = sum.Add(money.Amount{NanoUSD: c.NanoUSD, Tokens: c.Tokens}) }
	outcomes, err := b.outcomes()
	if err != nil {
		return money.Amount{}, err
	}
	for _, o := range outcomes {
		add(o.Charged)
	}
	unended, err := b.readUnended(ctx)
	for _, u := range unended {
		add(u.stored.Charge())
		for _, i := range u.stored.Released { // it reserves nothing any more that its bill would replace
			if c, ok := settled[callKey(u.RunKey, i)]; ok {
				add(lake.Charge{NanoUSD: nanoUSD(c.WorstUSD), Tokens: c.WorstTokens})
			}
		}
	}
	return sum, err
}

// listUnended lists what has begun and not ended, other calls than those of collaborations
// too. What has begun is listed first: what ends meanwhile is not taken for unended.
func (b *Books) listUnended() (runs []answers.RunKey, err error) {
	begun, err := b.begun()
	if err != nil {
		return nil, err
	}
	ended, err := b.ended()
	known := make(map[lake.Run]bool, len(ended))
	for _, run := range ended {
		known[run] = true
	}
	for _, p := range begun {
		if !known[lake.Run{Collaboration: p.Collaboration, Generation: p.Generation}] {
			runs = append(runs, p)
		}
	}
	return runs, err
}

// Runs returns a campaign's runs that have ended, every generation, and those that have begun and
// not ended; both sorted.
func (b *Books) Runs() (ended, unfinished []lake.Run, err error) {
	begun, err := b.listUnended()
	if err != nil {
		return nil, nil, err
	}
	for _, p := range begun {
		if isCollaboration(p.Collaboration) {
			unfinished = append(unfinished, lake.Run{Collaboration: p.Collaboration, Generation: p.Generation})
		}
	}
	ended, err = b.ended()
	return ended, unfinished, err
}

// unended is a collaboration that has begun and not ended, with what is stored of it.
type unended struct {
	answers.RunKey
	stored answers.Stored
}

// readers is how many collaborations are read at once.
const readers = 16

// readUnended reads what is stored of the collaborations that have begun and not ended.
func (b *Books) readUnended(ctx context.Context) (others []unended, err error) {
	runs, err := b.listUnended()
	if err != nil {
		return nil, err
	}
	for _, p := range runs {
		others = append(others, unended{RunKey: p})
	}
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(readers)
	for i := range others {
		all.Go(func() (err error) {
			others[i].stored, err = b.answers.Load(ctx, others[i].RunKey)
			if errors.Is(err, store.ErrCorrupt) { // its cell will end as failed and count what can be read, too
				return nil
			}
			return err
		})
	}
	return others, all.Wait()
}
