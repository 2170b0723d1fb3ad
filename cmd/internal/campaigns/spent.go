package campaigns

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"roundtable/activities/ledger"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows/task"
)

// SpentOutsideCollaborations returns what a campaign has spent on labels, embeddings,
// judges and checks of models, as `cost` counts it.
func SpentOutsideCollaborations(ctx context.Context, s store.Store, name string,
	books *ledger.Books) (task.Result, error) {
	r, err := campaign.LoadSpendingBeside(ctx, s, name)
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
func ReadCost(ctx context.Context, s store.Store, name string, by campaign.SpendingBy) (campaign.Spending, error) {
	r, err := campaign.LoadSpending(ctx, s, name, by)
	if err != nil {
		return r, cli.ExplainDamage(err, name, "the costs are not known")
	}
	books := ledger.Open(ctx, s, name)
	books.TakeEnded(r.Ended) // what ends from now on is not finished yet
	if err := addShared(ctx, books, &r); err != nil {
		return r, cli.ExplainDamage(err, name, "the costs are not known")
	}
	unfinished, err := books.UnfinishedCalls(ctx)
	if err != nil {
		return r, cli.ExplainDamage(err, name, "the costs are not known")
	}
	r.AddUnfinished(unfinished)
	p, _, err := campaign.ReadRecorded(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		r.Planned = p.Campaign.Size()
		r.Addresses, err = readAddresses(ctx, s, p)
	}
	return r, err
}

// readAddresses returns where a campaign's models were served according to its plans.
func readAddresses(ctx context.Context, s store.Store, now campaign.Plan) (map[string][]string, error) {
	plans, err := campaign.ReadPlans(ctx, s, now.Campaign.Name)
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for _, p := range append(plans, now) {
		for _, condition := range p.Campaign.Conditions {
			for _, m := range condition.AllModels() {
				if at := m.Address(); at != "" {
					all[m.Name] = append(slices.DeleteFunc(all[m.Name],
						func(other string) bool { return other == at }), at)
				}
			}
		}
	}
	return all, nil
}

// addShared adds the calls that are of no collaboration.
func addShared(ctx context.Context, books *ledger.Books, r *campaign.Spending) error {
	shared, err := books.ReadShared(ctx)
	if err != nil {
		return err
	}
	r.Embedded(shared.Embeddings)
	r.Judged(shared.Judgements)
	r.Checked(shared.Checks)
	return nil
}
