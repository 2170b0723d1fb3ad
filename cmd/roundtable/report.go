package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/activities/collaboration"
	"roundtable/analysis/cost"
	"roundtable/analysis/lake"
	"roundtable/analysis/record"
	"roundtable/analysis/report"
	"roundtable/analysis/storage"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/telling"
	"roundtable/cmd/internal/analyses"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/measurements"
	"roundtable/cmd/internal/providers"
	"roundtable/cmd/internal/transcripts"
	"roundtable/envs/wording"
)

func newReport(o *cli.Options) *cobra.Command {
	var file string
	var how measurements.Messages
	cmd := &cobra.Command{
		Use:     "report NAME",
		Short:   "Write a campaign's report as one HTML page: what ran, tables, figures, transcripts",
		GroupID: toRead,
		Long: `Write one HTML page that needs nothing else: what ran, what went wrong, figures,
tables and every transcript. Long transcripts go to a folder next to it.`,
		Example: `  roundtable report my-campaign
  roundtable report my-campaign -o results.html`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := o.ReadLake(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := how.Choose(cmd.Context(), s, args[0]); err != nil {
				return err
			}
			r, err := writeReport(cmd.Context(), s, args[0], how, cmp.Or(file, args[0]+".html"))
			if err != nil {
				return err
			}
			if o.JSON {
				return cli.WriteJSON(cmd.OutOrStdout(), r)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), r)
			return err
		},
	}
	cmd.Flags().StringVarP(&file, "output", "o", "", "write to FILE (default: NAME.html)")
	how.Flags(cmd)
	return cmd
}

// reported is the JSON of report.
type reported struct {
	File   string  `json:"file"`
	Folder *string `json:"folder"` // of the transcripts; null if they are in the file
	report.Written
}

func (r reported) String() string {
	if r.Folder == nil {
		return fmt.Sprintf("%s: %s", r.File, wording.Count(r.Collaborations, "collaboration"))
	}
	return fmt.Sprintf("%s: %s; their transcripts are in %s, keep both together", r.File, wording.Count(r.Collaborations, "collaboration"), *r.Folder)
}

// writeReport writes the page last: it never links to what is not there.
func writeReport(ctx context.Context, s storage.Store, name string, how measurements.Messages, file string) (reported, error) {
	r := reported{File: file}
	source, err := reportSource(ctx, s, name, how)
	if err != nil {
		return r, err
	}
	folder := strings.TrimSuffix(file, filepath.Ext(file)) + "-transcripts"
	files := report.Files{
		Page: filepath.Base(file), Folder: filepath.Base(folder),
		Put: func(name string, data []byte) error {
			if err := os.MkdirAll(folder, 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(folder, filepath.Base(name)), data, 0o644)
		},
	}
	var page bytes.Buffer
	r.Written, err = report.Write(&page, source, files)
	if err != nil {
		return r, cli.ExplainDamage(err, name, "there is no report")
	}
	if r.Transcripts > 0 {
		r.Folder = &folder
	}
	return r, cli.WriteFile(file, page.Bytes())
}

func reportSource(ctx context.Context, s storage.Store, name string, how measurements.Messages) (report.Source, error) {
	source := report.Source{}
	dataset, err := lake.ReadDataset(ctx, s, name)
	if err != nil {
		return source, err
	}
	source.Digest, source.Collaborations = dataset.Digest(), lake.Collaborations(ctx, s, dataset)
	if source.Earlier, err = earlier(ctx, s, dataset); err != nil {
		return source, err
	}
	source.Unusable = transcripts.UnusableAnswers(ctx, s)
	reader := collaboration.NewReader(s, providers.OpenData)
	source.Facts = func(of record.Key) ([]telling.Fact, error) { return transcripts.Facts(ctx, reader, of) }
	if source.Campaign, err = analyses.ReadCampaign(ctx, s, name); err != nil {
		return source, err
	}
	if source.Campaign, err = how.AddTrajectories(ctx, s, source.Campaign); err != nil {
		return source, err
	}
	if source.Cost, err = campaigns.ReadCost(ctx, s, name, cost.ByModel); err != nil {
		return source, err
	}
	return source, addLabels(ctx, s, how.Labeller, &source)
}

// addLabels reads what labels say, if there are any.
func addLabels(ctx context.Context, s storage.Store, labeller string, source *report.Source) error {
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

// earlier returns the generations that were run again.
func earlier(ctx context.Context, s storage.Store, d lake.Dataset) (iter.Seq2[record.Rows, error], error) {
	latest := map[lake.Run]bool{}
	for _, m := range d.Members {
		latest[m.Run] = true
	}
	all, err := d.Generations(ctx, s)
	return lake.Collaborations(ctx, s, all.Only(func(m lake.Member) bool { return !latest[m.Run] })), err
}
