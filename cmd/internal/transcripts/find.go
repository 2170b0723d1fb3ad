package transcripts

import (
	"context"
	"fmt"

	"roundtable/activities/collaboration"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/providers"
	"roundtable/workflows/catalogue"
)

// FindRows returns the rows of the one collaboration that an id means, see campaigns.FindOne.
// broken says why those of one that has not ended are not all that is stored of it.
func FindRows(ctx context.Context, s store.Store, plugins catalogue.Catalogue, id string) (rows record.Rows,
	broken, err error) {
	c, err := campaigns.FindOne(ctx, s, id)
	if err != nil {
		return rows, nil, err
	}
	run := lake.Run{Collaboration: c.Collaboration, Generation: c.Generation}
	if c.Status == record.Unfinished {
		rows, broken = readUnfinished(ctx, collaboration.NewReader(s, plugins, providers.OpenData), c.Campaign, run)
		return rows, broken, ctx.Err()
	}
	d, err := lake.ReadDataset(ctx, s, c.Campaign)
	if err == nil {
		d, err = d.Generations(ctx, s)
	}
	if err != nil {
		return rows, nil, err
	}
	for rows, err := range lake.Collaborations(ctx, s, d.Only(func(m lake.Member) bool { return m.Run == run })) {
		return rows, nil, err
	}
	return rows, nil, fmt.Errorf("the commit of %s has gone while it was read", run)
}

// readUnfinished returns the rows of a collaboration that has not ended. Next to an error
// are those that can be made.
func readUnfinished(ctx context.Context, reader *collaboration.Reader, campaign string,
	run lake.Run) (record.Rows, error) {
	of := record.Key{
		SchemaVersion: record.SchemaVersion, CampaignID: campaign, ConditionID: record.ConditionOf(run.Collaboration),
		CollaborationID: run.Collaboration, Generation: int32(run.Generation),
	}
	c, broken := reader.Unfinished(ctx, of)
	if c == nil { // the plan cannot be read: that it has begun is known
		return record.Rows{Collaborations: []record.Collaboration{{Key: of, Status: record.Unfinished}}}, broken
	}
	made, err := collaboration.RowsOfUnfinished(c)
	if err != nil {
		return made, err
	}
	return made, broken
}

// Unfinished are the rows of the collaborations of a campaign that have begun and not ended.
type Unfinished struct {
	Rows   []record.Rows // by id and generation
	Broken []error       // why rows are not all that is stored; nil if they are
}

// ReadUnfinished reads the collaborations of a campaign that have begun and not ended.
func ReadUnfinished(ctx context.Context, s store.Store, plugins catalogue.Catalogue,
	campaign string) (u Unfinished, err error) {
	_, unfinished, err := ledger.Open(ctx, s, campaign).Runs()
	if err != nil {
		return u, err
	}
	reader := collaboration.NewReader(s, plugins, providers.OpenData)
	u = Unfinished{make([]record.Rows, len(unfinished)), make([]error, len(unfinished))}
	return u, lake.Each(ctx, len(unfinished), func(ctx context.Context, i int) error {
		u.Rows[i], u.Broken[i] = readUnfinished(ctx, reader, campaign, unfinished[i])
		return ctx.Err()
	})
}

// Collaborations returns the rows of the collaborations themselves.
func (u Unfinished) Collaborations() (all []record.Collaboration) {
	for _, rows := range u.Rows {
		all = append(all, rows.Collaborations...)
	}
	return all
}
