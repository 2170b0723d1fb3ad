// Package pages shows campaigns as pages: written as a report, or served while
// people look, also at one that runs. The server is for one person on this machine:
// it listens on the loopback only, and answers nobody who does not know its token.
package pages

import (
	"context"
	"fmt"
	"sync"

	"roundtable/activities/collaboration"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/report"
	"roundtable/analysis/study/dialogue"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/integrity"
	"roundtable/cmd/internal/measurements"
	"roundtable/cmd/internal/providers"
	"roundtable/cmd/internal/transcripts"
	"roundtable/workflows/catalogue"
)

// Source reads everything that the pages of a campaign are made from; its rows
// are read when they are asked for.
func Source(ctx context.Context, s store.Store, plugins catalogue.Catalogue, name string,
	how measurements.Messages) (report.Source, error) {
	source, err := StorySource(ctx, s, plugins, name, how)
	if err != nil {
		return source, err
	}
	dataset, err := lake.ReadDataset(ctx, s, name)
	if err != nil {
		return source, err
	}
	earlier, err := dataset.RunAgain(ctx, s)
	if err != nil {
		return source, err
	}
	source.Digest, source.Collaborations, source.Earlier = dataset.Digest(), lake.Collaborations(ctx, s, dataset),
		lake.Collaborations(ctx, s, earlier)
	source.Questions = questionsOf(ctx, s, plugins, name)
	trajectories, err := how.Trajectories(ctx, s, name)
	if err != nil {
		return source, err
	}
	if source.Campaign, err = analyze.ReadCampaign(ctx, s, name, how.Kept(),
		append(trajectories.Readers, report.ReadWrong())...); err != nil {
		return source, err
	}
	if source.Campaign, err = trajectories.Add(ctx, s, source.Campaign); err != nil {
		return source, err
	}
	if source.Cost, err = campaigns.ReadCost(ctx, s, name, campaign.ByModel); err != nil {
		return source, err
	}
	return source, addLabels(ctx, s, how.Labeller, &source)
}

// questionsOf returns what the conditions of a campaign ask. Its data files may be gone.
func questionsOf(ctx context.Context, s store.Store, plugins catalogue.Catalogue, name string) report.Questions {
	all := report.Questions{Of: map[report.AskedIn]report.Question{}}
	instances, err := collaboration.NewReader(s, plugins, providers.OpenData).Instances(ctx, name)
	if err != nil {
		all.Problem = fmt.Sprintf("The questions cannot be shown: %v", err)
	}
	for _, i := range instances {
		all.Of[report.AskedIn{Condition: i.ConditionID, Instance: i.Instance}] = report.QuestionOf(i)
	}
	return all
}

// addAsked has a report show how each turn was asked for.
func addAsked(ctx context.Context, s store.Store, plugins catalogue.Catalogue, source *report.Source) {
	reader := collaboration.NewReader(s, plugins, providers.OpenData)
	source.Asked = func(rows record.Rows) (map[int32]report.Asked, error) {
		return transcripts.Asked(ctx, reader, rows)
	}
}

// StorySource reads what single transcripts are made from.
func StorySource(ctx context.Context, s store.Store, plugins catalogue.Catalogue, name string,
	how measurements.Messages) (report.Source, error) {
	source := report.Source{Counting: integrity.Counting(plugins)}
	source.Campaign.Name = name
	source.Unusable = transcripts.UnusableAnswers(ctx, s)
	reader := collaboration.NewReader(s, plugins, providers.OpenData)
	source.About = func(of record.Key) (report.About, error) { return transcripts.About(ctx, reader, of) }
	if how.Labeller == "" {
		labellers, err := lake.Labellers(ctx, s, name)
		if err != nil || len(labellers) == 0 {
			return source, err
		}
		how.Labeller = labellers[0]
	}
	source.Acts = actsBy(ctx, s, name, how.Labeller)
	return source, nil
}

// actsBy returns what a labeller says of the messages of a collaboration, by entry.
func actsBy(ctx context.Context, s store.Store, name, labeller string) func(record.Key) (map[int32][]string, error) {
	byRun := sync.OnceValues(func() (map[lake.Run]lake.Marker, error) {
		markers, err := lake.LabelMarkers(ctx, s, name, labeller)
		all := map[lake.Run]lake.Marker{}
		for _, m := range markers {
			all[m.Run()] = m
		}
		return all, err
	})
	return func(of record.Key) (map[int32][]string, error) {
		markers, err := byRun()
		if err != nil {
			return nil, err
		}
		m, labelled := markers[lake.Run{Collaboration: of.CollaborationID, Generation: int(of.Generation)}]
		if !labelled {
			return nil, nil
		}
		rows, err := lake.ReadRows[record.Label](ctx, s, m)
		acts := map[int32][]string{}
		for _, row := range rows {
			acts[row.Entry] = row.Shown()
		}
		return acts, err
	}
}

// addLabels reads what labels say, if there are any.
func addLabels(ctx context.Context, s store.Store, labeller string, source *report.Source) error {
	labellers, err := lake.Labellers(ctx, s, source.Campaign.Name)
	if err != nil || len(labellers) == 0 {
		return err
	}
	l, err := dialogue.LoadLabels(ctx, s, source.Campaign, labeller)
	if err != nil {
		return cli.UsageError(err)
	}
	source.Labels = &l
	if len(labellers) > 1 {
		agreement, err := dialogue.Agreement(ctx, s, source.Campaign)
		source.Agreement = &agreement
		return err
	}
	return nil
}
