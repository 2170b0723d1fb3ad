package transcripts

import (
	"context"
	"fmt"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
)

// FindRows returns the rows of the one collaboration that an id means, see campaigns.FindOne.
func FindRows(ctx context.Context, s store.Store, id string) (rows record.Rows, err error) {
	c, err := campaigns.FindOne(ctx, s, id)
	if err != nil {
		return rows, err
	}
	d, err := lake.ReadDataset(ctx, s, c.Campaign)
	if err == nil {
		d, err = d.Generations(ctx, s)
	}
	if err != nil {
		return rows, err
	}
	run := lake.Run{Collaboration: c.Collaboration, Generation: c.Generation}
	for rows, err := range lake.Collaborations(ctx, s, d.Only(func(m lake.Member) bool { return m.Run == run })) {
		return rows, err
	}
	return rows, fmt.Errorf("the commit of %s has gone while it was read", run)
}
