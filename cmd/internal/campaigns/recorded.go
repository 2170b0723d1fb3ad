package campaigns

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// Open opens the lake and the plan of a campaign in it.
func Open(ctx context.Context, o *cli.Options, name string) (store.Store, campaign.Plan, campaign.Manifest, error) {
	s, err := o.OpenLake()
	if err != nil {
		return nil, campaign.Plan{}, campaign.Manifest{}, err
	}
	p, m, err := ReadPlan(ctx, o, s, name)
	return s, p, m, err
}

// ReadPlan returns what is recorded of a campaign; the error says in words if the lake has no such one.
func ReadPlan(ctx context.Context, o *cli.Options, s store.Store, name string) (campaign.Plan,
	campaign.Manifest, error) {
	p, m, err := campaign.ReadRecorded(ctx, s, name)
	switch {
	case errors.Is(err, campaign.ErrImported):
		err = cli.UsageError(fmt.Errorf("%w: nothing of it can be run, steered or forked; roundtable list "+
			"collaborations %s shows it", err, name))
	case errors.Is(err, fs.ErrNotExist):
		names, _ := lake.Campaigns(ctx, s)
		err = o.UnknownCampaign(name, names)
	}
	return p, m, err
}

// ReadPlannedCampaign returns the recorded campaign called name; the zero value if there is none.
func ReadPlannedCampaign(ctx context.Context, s store.Store, name string) (plan.Campaign, error) {
	stored, _, err := campaign.ReadRecorded(ctx, s, name)
	switch {
	case errors.Is(err, campaign.ErrImported):
		return plan.Campaign{}, errors.New("it was imported, so no file runs it; choose another name")
	case errors.Is(err, fs.ErrNotExist):
		return plan.Campaign{}, nil
	}
	return stored.Campaign, err
}

// Listed is a campaign of the lake.
type Listed struct {
	Name  string `json:"name"`
	Known bool   `json:"planned"` // its plan is recorded
	// Imported has no plan, and nobody knows what its collaborations cost.
	Imported bool `json:"imported,omitempty"`
	workflows.Status
	Besides task.Result `json:"beside"` // cost of labels, judges, embeddings and checks of models
	// UnderWay are collaborations that have begun and not ended.
	UnderWay ledger.Unended `json:"under_way"`
	Models   []string       `json:"models,omitempty"` // as its plan names them
	Bytes    int64          `json:"bytes"`            // of all its objects
	Damage   string         `json:"damage,omitempty"` // why it cannot be read
	Ended    *time.Time     `json:"ended,omitempty"`  // when its latest answer was in; absent if nothing has ended
}

// List returns the campaigns of the lake, also those whose plan is not recorded; none if there is
// no lake.
func List(ctx context.Context, o *cli.Options) ([]Listed, error) {
	all := []Listed{}
	if dir, local := o.LocalLake(); local {
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return all, nil
		}
	}
	s, err := o.OpenLake()
	if err != nil {
		return nil, err
	}
	names, err := lake.Campaigns(ctx, s)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		c := Listed{Name: name, Known: true}
		p, _, err := campaign.ReadRecorded(ctx, s, name)
		if errors.Is(err, fs.ErrNotExist) {
			c.Known, c.Imported, p.Campaign.Name, err = false, errors.Is(err, campaign.ErrImported), name, nil
		}
		books, again := ledger.Open(ctx, s, name), 0
		if err == nil {
			c.Status, again, err = SummarizeEnded(ctx, s, p, books)
			c.Models = modelsOf(p.Campaign)
		}
		if err == nil && c.Known && (c.Done() < c.Cells || again > 0) {
			c.UnderWay, err = books.Unended(ctx, o.Plugins, p)
		}
		if err == nil {
			c.Besides, err = spentOutside(ctx, s, name, books)
		}
		if err == nil {
			c.Ended, err = lastEnd(ctx, s, name)
		}
		if err == nil {
			c.Bytes, err = sizeOf(ctx, s, name)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil { // which hides no other campaign
			c = Listed{Name: name, Known: c.Known, Damage: err.Error()}
		}
		all = append(all, c)
	}
	return all, nil
}

func sizeOf(ctx context.Context, s store.Store, name string) (bytes int64, err error) {
	own, _, err := lake.Objects(ctx, s, name)
	for _, o := range own {
		bytes += o.Size
	}
	return bytes, err
}

// modelsOf returns the models that a campaign's conditions name, in their order.
func modelsOf(c plan.Campaign) []string {
	var all []string
	add := func(name string) {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	for _, condition := range c.Conditions {
		for _, m := range condition.AllModels() {
			add(m.Name)
		}
	}
	return all
}

// lastEnd returns when the latest answer of a campaign's collaborations was in.
func lastEnd(ctx context.Context, s store.Store, name string) (*time.Time, error) {
	d, err := lake.ReadDataset(ctx, s, name)
	if err != nil {
		return nil, err
	}
	var last int64
	for row, err := range lake.Scan[record.Collaboration](ctx, s, d.ByPart()) {
		if err != nil {
			return nil, err
		}
		last = max(last, row.EndedAt)
	}
	if last == 0 {
		return nil, nil
	}
	at := time.UnixMicro(last).UTC()
	return &at, nil
}

// spentOutside returns what a campaign has spent on labels, embeddings,
// judges and checks of models, as `cost` counts it.
func spentOutside(ctx context.Context, s store.Store, name string,
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

// ReadCost returns what a campaign has spent, unfinished collaborations included, grouped as by says.
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
