package integrity

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"roundtable/activities/answers"
	"roundtable/activities/collaboration"
	"roundtable/activities/recorded"
	"roundtable/analysis/lake"
	"roundtable/analysis/record"
	"roundtable/analysis/storage"
	"roundtable/cmd/internal/providers"
	"roundtable/workflows/catalogue"
)

// compareForks holds what a fork has from another campaign's collaborations against what
// is stored of these.
func (v *Verification) compareForks(ctx context.Context, s storage.Store, plugins catalogue.Catalogue) error {
	p, _, err := recorded.ReadRecorded(ctx, s, v.Campaign)
	if err != nil || len(p.Campaign.Conditions) == 0 || p.Campaign.Conditions[0].Fork == nil {
		return err
	}
	of := p.Campaign.Conditions[0].Fork.Campaign
	if _, err := recorded.ReadManifest(ctx, s, of); errors.Is(err, fs.ErrNotExist) {
		v.NoOriginal = of
		return nil
	}
	d, err := lake.ReadDataset(ctx, s, v.Campaign)
	if err != nil {
		return err
	}
	reader := collaboration.NewReader(s, plugins, providers.OpenData)
	for _, m := range d.Members {
		key := record.Key{CampaignID: v.Campaign, ConditionID: record.ConditionOf(m.Run.Collaboration), CollaborationID: m.Run.Collaboration, Generation: int32(m.Run.Generation)}
		run := answers.RunKey{Campaign: v.Campaign, Collaboration: m.Run.Collaboration, Generation: m.Run.Generation}
		problems, err := reader.CheckPrefix(ctx, key)
		if err != nil {
			problems = append(problems, fmt.Sprintf("what it has from before the fork cannot be compared: %v", err))
		}
		for _, problem := range problems {
			v.find(folderOf(run), problem)
		}
		v.Forked++
	}
	return nil
}
