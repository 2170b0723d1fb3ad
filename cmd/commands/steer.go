package commands

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/cmd/internal/envfile"
	"roundtable/cmd/internal/runs"
)

func newPause(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:     "pause NAME",
		Short:   "Pause a running campaign; answers in flight are kept",
		GroupID: toRun,
		Long:    `Pause a running campaign. Answers of in-flight requests are kept.`,
		Example: `  roundtable pause my-campaign`,
		Args:    cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), args[0]
			err := runs.Pause(ctx, o, name, "is pausing")
			if !errors.Is(err, engine.ErrNotRunning) {
				return err
			}
			s, p, _, unknown := campaigns.Open(ctx, o, name)
			switch {
			case unknown != nil:
				return unknown
			case campaigns.IsSealed(ctx, s, p):
				return runs.ReportDone(o, p, "pause")
			}
			return err
		},
	}
}

func newResume(o *cli.Options) *cobra.Command {
	var t runs.Tuning
	noCheck := false
	cmd := &cobra.Command{
		Use:     "resume NAME",
		Short:   "Resume a paused or interrupted campaign",
		GroupID: toRun,
		Long:    `Resume a paused or interrupted campaign, with other limits if flags give any.`,
		Example: `  roundtable resume my-campaign
  roundtable resume my-campaign --cost-usd 20`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), args[0]
			s, p, m, err := campaigns.Open(ctx, o, name)
			if err != nil {
				return err
			}
			if err := t.Apply(cmd.Flags(), &m.Limits); err != nil {
				return err
			}
			if err = runs.Resume(ctx, o, s, m, "resumed"); !errors.Is(err, engine.ErrNotRunning) {
				return err
			}
			if err := envfile.Take(p.Folder); err != nil {
				return err
			}
			r := runs.Options{Options: o, Checks: !noCheck}
			return finishCampaign(ctx, r, s, p, m, "roundtable resume "+name)
		},
	}
	t.Flags(cmd.Flags())
	cmd.Flags().BoolVar(&noCheck, "no-check", false, runs.NoCheckUsage)
	return cmd
}

func newTune(o *cli.Options) *cobra.Command {
	var t runs.Tuning
	cmd := &cobra.Command{
		Use:     "tune NAME",
		Short:   "Change the limits of a campaign, running or not",
		GroupID: toRun,
		Long: `Change the limits of a campaign. A running one uses them at once. What is not
given stays; the file's limits apply again at the next run.`,
		Example: `  roundtable tune my-campaign --concurrency 40
  roundtable tune my-campaign --cost-usd 20 --tokens 0
  roundtable tune my-campaign --model openai/gpt-5-mini --requests-per-minute 300`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), args[0]
			s, _, m, err := campaigns.Open(ctx, o, name)
			if err != nil {
				return err
			}
			before := m.Limits // apply replaces its map of models
			if err := t.Apply(cmd.Flags(), &m.Limits); err != nil {
				return err
			}
			tuned, err := runs.Tune(ctx, o, s, m, before)
			if err != nil {
				return err
			}
			if o.JSON {
				return cli.WriteJSON(cmd.OutOrStdout(), tuned)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), tuned)
			return err
		},
	}
	t.Flags(cmd.Flags())
	return cmd
}

func newCancel(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:     "cancel NAME",
		Short:   "Stop a campaign: every cell that has not ended ends as stopped",
		GroupID: toRun,
		Long: `Stop a campaign for good: what has not ended ends as stopped, and its rows are
committed. roundtable run FILE --retry-failed runs such collaborations again.`,
		Example: `  roundtable cancel my-campaign`,
		Args:    cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runs.Cancel(cmd.Context(), o, args[0])
		},
	}
}
