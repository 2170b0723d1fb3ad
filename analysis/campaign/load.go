package campaign

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unique"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Load reads what is committed of a campaign, one collaboration after the
// other; only what tables need is kept. The plan is not in it.
func Load(ctx context.Context, store store.Store, campaign string, readers ...Reader) (Campaign, error) {
	c := Campaign{Name: campaign}
	d, err := lake.ReadDataset(ctx, store, campaign)
	if err != nil {
		return c, err
	}
	c.Earlier = d.Earlier
	settled, err := lake.ReadSettled(ctx, store, campaign)
	if err != nil {
		return c, err
	}
	for rows, err := range lake.Collaborations(ctx, store, d.ByPart(), record.Collaborations, record.Rounds, record.Turns, record.Calls) {
		if err != nil {
			return c, err
		}
		if n := len(rows.Collaborations); n != 1 {
			return c, fmt.Errorf("expected 1 row in collaborations, got %d", n)
		}
		Correct(&rows.Collaborations[0], settled)
		run, err := NewRun(rows, readers...)
		if err != nil {
			return c, err
		}
		run.SettingsJSON = unique.Make(run.SettingsJSON).Value() // one copy for each condition
		c.Runs = append(c.Runs, run)
	}
	slices.SortStableFunc(c.Runs, func(a, b Run) int { // as before compaction: sums of floats depend on it
		return cmp.Or(cmp.Compare(a.ConditionID, b.ConditionID), cmp.Compare(a.CollaborationID, b.CollaborationID), cmp.Compare(a.Generation, b.Generation))
	})
	return c, nil
}

// Correct puts what settled calls were billed in place of their worst case.
func Correct(c *record.Collaboration, settled lake.Settled) {
	if len(settled) == 0 || c.CostUSD == nil || c.WorstUSD == nil {
		return
	}
	cost, worst := settled.Correct(lake.Run{Collaboration: c.CollaborationID, Generation: int(c.Generation)}, *c.CostUSD, *c.WorstUSD)
	c.CostUSD, c.WorstUSD = &cost, &worst
}
