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

// check says which table or figure cannot be made of several campaigns: what is added to
// a campaign's rows is added to one.
func (t Together) check(what string, needsMore bool) error {
	if len(t.With) == 0 || !needsMore {
		return nil
	}
	return cli.UsageError(fmt.Errorf("%s cannot be made of several campaigns; without --with it is made of one. The tables outcomes, comparisons, instances, rounds and worth, among others, can", what))
}

// join returns the campaign with those that stand next to it, as one.
func (t Together) join(ctx context.Context, c campaign.Campaign) (campaign.Campaign, error) {
	if len(t.others) == 0 {
		return c, nil
	}
	all := []campaign.Campaign{c}
	for _, o := range t.others {
		next, err := ReadCampaign(ctx, o.store, o.name)
		if err != nil {
			return c, err
		}
		next.Name = o.shown
		all = append(all, next)
	}
	joined, err := campaign.Join(all...)
	if err != nil {
		return c, cli.UsageError(fmt.Errorf("--with: %w", err))
	}
	return joined, nil
}
