package campaigns

import (
	"context"
	"errors"
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

// Listed is a campaign of the lake.
type Listed struct {
	Name  string `json:"name"`
	Known bool   `json:"planned"` // its plan is recorded
	// Imported has no plan, and nobody knows what its collaborations cost.
	Imported bool `json:"imported,omitempty"`
	workflows.Status
	Besides task.Result `json:"beside"` // what labels, judges, embeddings and checks of models have taken
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
			c.Besides, err = SpentOutsideCollaborations(ctx, s, name, books)
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
