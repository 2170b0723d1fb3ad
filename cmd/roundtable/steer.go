package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/activities/recorded"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/cmd/internal/runs"
	"roundtable/workflows"
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
			err := runs.Signal(ctx, o, name, workflows.SignalPause, workflows.Pause{Reason: "paused by hand"}, "is pausing")
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
			if err := t.Apply(cmd, &m.Limits); err != nil {
				return err
			}
			if err := recorded.WriteManifest(ctx, s, m); err != nil {
				return err
			}
			if err := recorded.ClearHalt(ctx, s, name); err != nil {
				return err
			}
			if err = runs.Signal(ctx, o, name, workflows.SignalTune, m.Limits, ""); err == nil {
				err = runs.Signal(ctx, o, name, workflows.SignalResume, nil, "resumed")
			}
			if !errors.Is(err, engine.ErrNotRunning) {
				return err
			}
			r := runs.Options{Options: o, Checks: !noCheck}
			return finishCampaign(ctx, r, s, p, m, "roundtable resume "+name)
		},
	}
	t.Flags(cmd)
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
			if err := t.Apply(cmd, &m.Limits); err != nil {
				return err
			}
			tuned := tuned{Campaign: name, Changed: campaigns.ChangedLimits(before, m.Limits)}
			if len(tuned.Changed) == 0 {
				return cli.UsageError(errors.New("no limit changes; see roundtable tune --help for the limits"))
			}
			if err := recorded.WriteManifest(ctx, s, m); err != nil {
				return err
			}
			err = runs.Signal(ctx, o, name, workflows.SignalTune, m.Limits, "")
			if tuned.Running = err == nil; err != nil && !errors.Is(err, engine.ErrNotRunning) {
				return err
			}
			if o.JSON {
				return cli.WriteJSON(cmd.OutOrStdout(), tuned)
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), tuned)
			return err
		},
	}
	t.Flags(cmd)
	return cmd
}

// tuned is the JSON of tune.
type tuned struct {
	Campaign string             `json:"campaign"`
	Running  bool               `json:"running"` // the new limits apply at once
	Changed  []campaigns.Change `json:"changed"`
}

func (t tuned) String() string {
	parts := make([]string, len(t.Changed))
	for i, c := range t.Changed {
		parts[i] = fmt.Sprintf("%s %s → %s", c.Limit, c.Old, c.New)
	}
	text := fmt.Sprintf("%s: new limits applied: %s", t.Campaign, strings.Join(parts, ", "))
	if !t.Running {
		text = fmt.Sprintf("%s is not running here; the next resume uses the new limits: %s", t.Campaign, strings.Join(parts, ", "))
	}
	return text
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
