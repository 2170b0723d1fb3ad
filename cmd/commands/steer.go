package commands

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"roundtable/analysis/lake/campaign"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
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
			if !errors.Is(err, campaigns.ErrNotRunning) {
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
			if err := o.Telemetry.Check(); err != nil {
				return err
			}
			ctx, name := cmd.Context(), args[0]
			s, p, m, err := campaigns.Open(ctx, o, name)
			if err != nil {
				return err
			}
			if err := t.Apply(cmd.Flags(), &m.Limits); err != nil {
				return err
			}
			if err = runs.Resume(ctx, o, s, m, "resumed"); !errors.Is(err, campaigns.ErrNotRunning) {
				return err
			}
			if p.Folder == "" {
				fmt.Fprintf(os.Stderr, "note: the folder of %s's file is not known on this machine; programs and "+
					"files that it names are looked for in the current folder\n", name)
			}
			if err := cli.LoadEnvFileHere(p.Folder); err != nil {
				return err
			}
			r := runs.Options{Options: o, Checks: !noCheck}
			return finishCampaign(ctx, r, s, p, m, "roundtable resume "+name)
		},
	}
	t.Flags(cmd.Flags())
	o.Telemetry.Flags(cmd.Flags())
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
		Example: `  roundtable tune my-campaign --calls 40
  roundtable tune my-campaign --cost-usd 20 --tokens 0
  roundtable tune my-campaign --model openai/gpt-5-mini --requests-per-minute 300`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx, name := cmd.Context(), args[0]
			s, _, m, err := campaigns.Open(ctx, o, name)
			if err != nil && !errors.Is(err, campaign.ErrImported) { // whose labels have limits
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

func newAnswer(o *cli.Options) *cobra.Command {
	var a runs.Answering
	cmd := &cobra.Command{
		Use:     "answer NAME",
		Short:   "Answer a campaign's questions to persons (model: human)",
		GroupID: toRun,
		Long: `Answer the questions of a campaign that wait for a person, the oldest first. The
campaign takes an answer up within a second, or when it is resumed. The first answer
to a question counts.`,
		Example: `  roundtable answer my-campaign
  roundtable answer my-campaign --list
  roundtable answer my-campaign --question majority-2a707edd-i0-r0.0-e2-a0 --text "Answer: (B)"`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, _, _, err := campaigns.Open(cmd.Context(), o, args[0])
			if err != nil {
				return err
			}
			a.Campaign = args[0]
			if o.JSON && a.Question == "" {
				open, err := a.Open(cmd.Context(), s)
				if err != nil {
					return err
				}
				return cli.WriteJSON(cmd.OutOrStdout(), open)
			}
			return a.Run(cmd.Context(), s, cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.BoolVar(&a.List, "list", false, "print the open questions and answer none")
	f.StringVar(&a.As, "as", "", "answer as this `person`: questions to human/PERSON only")
	f.StringVar(&a.Question, "question", "", "answer this question, by its `id`")
	f.StringVar(&a.Text, "text", "", "the answer to --question")
	f.StringVar(&a.File, "file", "", "a `file` that holds the answer to --question; - is standard input")
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
