package labelling

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"roundtable/activities/commits"
	"roundtable/analysis/gold"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
)

// readBack stores what a coder gave to a draw.
func (o HandCoding) readBack(ctx context.Context, s store.Store, name string, book campaign.Book) error {
	data, err := store.ReadFile(o.From, 64<<20)
	if err != nil {
		return cli.UsageError(fmt.Errorf("--gold-from: %w", err))
	}
	draws, err := gold.ReadDraws(ctx, s, name, book.ID())
	if err != nil {
		return err
	}
	if err := refuseLost(ctx, s, name, book, len(draws)); err != nil {
		return err
	}
	if len(draws) == 0 {
		return cli.UsageError(fmt.Errorf("nothing of campaign %s was drawn to be coded by %s; roundtable label %s --gold 200 draws", name, book.ID(), name))
	}
	rows, err := readTable(o.From, data)
	if err != nil {
		return cli.UsageError(err)
	}
	d := drawOf(draws, rows)
	given, err := check(o.From, d, book, rows)
	if err != nil {
		return cli.UsageError(err)
	}
	if err := o.store(ctx, s, d, given); err != nil {
		return err
	}
	if err := commits.RefreshCard(ctx, s, name); err != nil {
		return err
	}
	return o.reportStored(ctx, s, d, book)
}

// store commits the labels of each collaboration.
func (o HandCoding) store(ctx context.Context, s store.Store, d gold.Draw, given [][]string) error {
	condition := map[lake.Run]string{}
	draws, err := gold.ReadDraws(ctx, s, d.Campaign, d.CodeBook)
	if err != nil {
		return err
	}
	for _, one := range draws {
		for _, f := range one.Frame {
			condition[f.Run] = f.Condition
		}
	}
	byRun := map[lake.Run][]record.GoldLabel{}
	var runs []lake.Run
	n := 0
	for _, b := range d.Blocks {
		if byRun[b.Run] == nil {
			runs = append(runs, b.Run)
		}
		for _, i := range b.Items {
			labels, err := json.Marshal(slices.Concat([]string{}, given[n]))
			if err != nil {
				return err
			}
			byRun[b.Run] = append(byRun[b.Run], record.GoldLabel{
				Key: record.Key{SchemaVersion: record.SchemaVersion, CampaignID: d.Campaign,
					ConditionID: condition[b.Run], CollaborationID: b.Collaboration, Generation: int32(b.Generation)},
				CodeBook: d.CodeBook, Coder: o.Coder, Draw: int32(d.Number), Entry: int32(i.Entry),
				Round: int32(i.Round), Agent: int32(i.Agent),
				Labels: string(labels), TextHash: i.Hash,
			})
			n++
		}
	}
	for _, run := range runs {
		_, err := commits.CommitAnnotations(ctx, s, lake.Marker{
			Campaign: d.Campaign, Condition: condition[run], Collaboration: run.Collaboration,
			Generation: run.Generation,
			By:         gold.By(d.CodeBook, o.Coder, d.Number), Table: record.Gold, Status: record.Succeeded,
		}, byRun[run])
		if errors.Is(err, commits.ErrConflict) {
			return cli.UsageError(fmt.Errorf("other labels of draw %d by %s are stored already, and stay: gold is not changed afterwards. Store these under another --coder; those of the coder %s stand for all", d.Number, o.Coder, gold.Adjudicated))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
