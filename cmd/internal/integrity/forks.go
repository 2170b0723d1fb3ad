package integrity

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"roundtable/activities/answers"
	"roundtable/activities/collaboration"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/providers"
	"roundtable/workflows/catalogue"
)

// compareForks holds what a fork has from another campaign's collaborations against what
// is stored of these.
func (v *Verification) compareForks(ctx context.Context, s store.Store, plugins catalogue.Catalogue) error {
	p, _, err := campaign.ReadRecorded(ctx, s, v.Campaign)
	if err != nil || len(p.Campaign.Conditions) == 0 || p.Campaign.Conditions[0].Fork == nil {
		return err
	}
	of := p.Campaign.Conditions[0].Fork.Campaign
	if _, err := campaign.ReadManifest(ctx, s, of); errors.Is(err, fs.ErrNotExist) {
		v.NoOriginal = of
		return nil
	}
	d, err := lake.ReadDataset(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	replaced := map[lake.Run]map[int]string{}
	reader := collaboration.NewReader(s, plugins, providers.OpenData)
	for _, m := range d.Members {
		key := record.Key{CampaignID: v.Campaign, ConditionID: record.ConditionOf(m.Run.Collaboration),
			CollaborationID: m.Run.Collaboration, Generation: int32(m.Run.Generation)}
		run := answers.RunKey{Campaign: v.Campaign, Collaboration: m.Run.Collaboration, Generation: m.Run.Generation}
		found, err := reader.CheckFork(ctx, key)
		if err != nil {
			found.Problems = append(found.Problems,
				fmt.Sprintf("what it has from before the fork cannot be compared: %v", err))
		}
		for _, problem := range found.Problems {
			v.find(folderOf(run), problem)
		}
		if len(found.Replaced) > 0 {
			replaced[m.Run] = found.Replaced
		}
		v.Forked++
	}
	return v.compareReplaced(ctx, s, d, replaced)
}

// compareReplaced holds the rows of messages in whose place a text stands against that text.
func (v *Verification) compareReplaced(ctx context.Context, s store.Store, d lake.Dataset,
	replaced map[lake.Run]map[int]string) error {
	if len(replaced) == 0 {
		return nil
	}
	for row, err := range lake.Scan[record.Turn](ctx, s, d) {
		if err != nil {
			return err
		}
		run := lake.Run{Collaboration: row.CollaborationID, Generation: int(row.Generation)}
		text, is := replaced[run][int(row.Entry)]
		if is && (row.Text == nil && text != "" || row.Text != nil && *row.Text != text) {
			v.find(fmt.Sprintf("%s, entry %d", run, row.Entry),
				"its text is not the one that stands in place of the message")
		}
	}
	return nil
}
