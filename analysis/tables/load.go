package tables

import (
	"context"
	"fmt"

	"roundtable/analysis/lake"
	"roundtable/analysis/record"
)

// Load reads what is committed of a campaign, one collaboration after the
// other; only what tables need is kept. The plan is not in it.
func Load(ctx context.Context, store lake.Store, campaign string) (Campaign, error) {
	c := Campaign{Name: campaign}
	d, err := lake.ReadDataset(ctx, store, campaign)
	if err != nil {
		return c, err
	}
	c.Earlier = d.Earlier
	for rows, err := range lake.Collaborations(ctx, store, d, record.Collaborations, record.Rounds, record.Turns, record.Calls) {
		if err != nil {
			return c, err
		}
		if n := len(rows.Collaborations); n != 1 {
			return c, fmt.Errorf("a collaboration has %d rows of its own; there is one", n)
		}
		run := NewRun(rows.Collaborations[0], rows.Rounds, rows.Turns)
		run.Asked = asked(rows.Calls)
		run.Usable.answers(rows.Calls)
		if run.States, err = readStates(rows.Collaborations[0], rows.Turns); err != nil {
			return c, err
		}
		c.Runs = append(c.Runs, run)
	}
	return c, nil
}
