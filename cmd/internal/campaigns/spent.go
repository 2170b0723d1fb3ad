package campaigns

import (
	"context"
	"errors"
	"io/fs"

	"roundtable/activities/ledger"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/spending"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows/task"
)

// SpentOutsideCollaborations returns what a campaign has spent on labels, embeddings,
// judges and checks of models, as `cost` counts it.
func SpentOutsideCollaborations(ctx context.Context, s store.Store, name string, books *ledger.Books) (task.Result, error) {
	r, err := spending.LoadBeside(ctx, s, name)
	if err == nil {
		err = addShared(ctx, books, &r)
	}
	g := r.Total
	return task.Result{
		Calls: int64(g.Billed + g.Unknown + g.Settled), InputTokens: g.Input, OutputTokens: g.Output,
		CostUSD: g.USD, WorstUSD: g.WorstUSD, Unpriced: g.Unpriced+g.Unbounded > 0,
	}, err
}

// ReadCost reads the costs, and the plan if there is one.
func ReadCost(ctx context.Context, s store.Store, name string, by spending.By) (spending.Report, error) {
	r, err := spending.Load(ctx, s, name, by)
	if err != nil {
		return r, cli.ExplainDamage(err, name, "the costs are not known")
	}
	if err := addShared(ctx, ledger.Open(ctx, s, name), &r); err != nil {
		return r, cli.ExplainDamage(err, name, "the costs are not known")
	}
	p, _, err := campaign.ReadRecorded(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		r.Planned = p.Campaign.Size()
	}
	return r, err
}

// addShared adds the calls that are of no collaboration.
func addShared(ctx context.Context, books *ledger.Books, r *spending.Report) error {
	shared, err := books.ReadShared(ctx)
	if err != nil {
		return err
	}
	r.Embedded(shared.Embeddings)
	r.Judged(shared.Judgements)
	r.Checked(shared.Checks)
	return nil
}
