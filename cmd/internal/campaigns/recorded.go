package campaigns

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows/plan"
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
		err = cli.UsageError(fmt.Errorf("%w: nothing of it can be run, steered or forked; roundtable list collaborations %s shows it", err, name))
	case errors.Is(err, fs.ErrNotExist):
		names, _ := lake.Campaigns(ctx, s)
		err = o.UnknownCampaign(name, names)
	}
	return p, m, err
}

// ReadPlannedCampaign returns the lake's campaign of that name; an empty one if there is none.
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
