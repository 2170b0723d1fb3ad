package analyze

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
)

// Together names campaigns that stand next to the one that is analyzed.
type Together struct {
	With []string // their names
	Lake string   // where they are; "" for the lake of the campaign itself

	others []other
}

// other is such a campaign, found.
type other struct {
	name, shown string
	store       store.Store
}

// open finds the campaigns. Where one is called as another that it stands next to, its
// lake is part of its name.
func (t *Together) open(ctx context.Context, o *cli.Options, name string) error {
	if len(t.With) == 0 {
		if t.Lake != "" {
			return cli.UsageError(errors.New("--with-lake is the lake of the campaigns that --with names; give --with NAME too"))
		}
		return nil
	}
	theirs := *o
	theirs.Lake = cmp.Or(t.Lake, o.Lake)
	for _, with := range t.With {
		s, err := theirs.ReadLake(ctx, with)
		if err != nil {
			return err
		}
		shown := with
		if with == name && theirs.LakeName() != o.LakeName() {
			shown = fmt.Sprintf("%s (%s)", with, theirs.LakeName())
		}
		t.others = append(t.others, other{with, shown, s})
	}
	return nil
}

// source is a campaign that tables are made from, and where it is.
type source struct {
	campaign.Campaign
	store store.Store
}

// read returns the named campaign, and then those that stand next to it, each with what is
// added to its rows.
func (t Together) read(ctx context.Context, s store.Store, name string, kept campaign.Kept,
	added adding) ([]source, error) {
	var all []source
	for _, o := range append([]other{{name, name, s}}, t.others...) {
		a, err := added(ctx, o.store, o.name)
		if err != nil {
			return nil, err
		}
		c, err := ReadCampaign(ctx, o.store, o.name, kept, a.Readers...)
		if err == nil {
			c, err = a.Add(ctx, o.store, c)
		}
		if err != nil {
			return nil, err
		}
		c.Name = o.shown
		all = append(all, source{c, o.store})
	}
	return all, nil
}

// join returns the campaigns as one.
func join(all []source) (campaign.Campaign, error) {
	if len(all) == 1 {
		return all[0].Campaign, nil
	}
	var campaigns []campaign.Campaign
	for _, from := range all {
		campaigns = append(campaigns, from.Campaign)
	}
	joined, err := campaign.Join(campaigns...)
	if err != nil {
		return joined, cli.UsageError(fmt.Errorf("--with: %w", err))
	}
	return joined, nil
}
