package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/forks"
	"roundtable/cmd/internal/planning"
	"roundtable/cmd/internal/runs"
)

func newAttribute(o *cli.Options) *cobra.Command {
	r := runs.Options{Options: o}
	var a forks.Attribution
	var format, file string
	noRun, noCheck := false, false
	cmd := &cobra.Command{
		Use:     "attribute NAME",
		Short:   "Find what each agent, round or message of a campaign contributes, under a budget",
		GroupID: toRun,
		Long: `Find what each agent, round or message of a campaign contributes to its outcome:
Shapley's values, from forks in which only some of them take part. Orders in which
they join are drawn for each instance, in pairs; each coalition of an instance is run
once. The forks are a campaign, whose cap is the budget: it ends before the budget is
overspent, and the same command with more budget continues where it stopped. If every
coalition was run, the values are exact but for chance.`,
		Example: `  roundtable attribute my-campaign --of agents --cost-usd 5
  roundtable attribute my-campaign --of rounds --cost-usd 5 --pairs 4
  roundtable attribute my-campaign --of agents --no-run --format md`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a.Campaign, r.Checks = args[0], !noCheck
			as, err := cli.ChooseFormat(format, file, o.JSON, table.Formats())
			if err == nil && a.Pairs < 1 {
				err = fmt.Errorf("--pairs %d: expected a whole number of at least 1", a.Pairs)
			}
			if usd := a.CostUSD; err == nil && cmd.Flags().Changed("cost-usd") && !(usd > 0 && usd <= 1e9) { // nor NaN
				err = fmt.Errorf("--cost-usd %v: expected US dollars above 0", usd)
			}
			if err = cmp.Or(err, o.Telemetry.Check()); err != nil {
				return cli.UsageError(err)
			}
			t, unfinished, err := attribute(cmd.Context(), r, a, noRun)
			if err != nil {
				return err
			}
			return cmp.Or(cli.WriteOutput(file, cmd.OutOrStdout(),
				func(w io.Writer) error { return table.Write(w, as, []table.Table{t}) }), unfinished)
		},
	}
	f := cmd.Flags()
	f.StringVar(&a.Of, "of", forks.Agents, "agents, rounds or messages")
	f.Float64Var(&a.CostUSD, "cost-usd", 0, "the most that the forks may cost (needed where a model is paid for)")
	f.IntVar(&a.Pairs, "pairs", forks.MostPairs, "the most pairs of orders of each instance")
	f.StringSliceVar(&a.Conditions, "condition", nil, "ids of the conditions (default: all)")
	f.StringVar(&a.Name, "name", "", "name of the campaign of the forks, and of its file (default: NAME-by-agents)")
	f.BoolVar(&noRun, "no-run", false, "run nothing; show what was found before")
	f.BoolVar(&noCheck, "no-check", false, runs.NoCheckUsage)
	f.StringVar(&format, "format", "", "text, md, csv, json, html or latex")
	f.StringVarP(&file, "output", "o", "", "file to write to (default: standard output)")
	o.Telemetry.Flags(f)
	return cmd
}

// attribute runs forks until every coalition is known, the pairs are done or the budget is
// spent, and returns the table. unfinished says that forks are left that were begun.
func attribute(ctx context.Context, r runs.Options, a forks.Attribution, noRun bool) (t table.Table, unfinished,
	err error) {
	s, p, m, err := campaigns.Open(ctx, r.Options, a.Campaign)
	if err != nil {
		return t, nil, err
	}
	w, err := a.Open(ctx, s, p, m)
	if err != nil {
		return t, nil, err
	}
	if !noRun {
		if a.CostUSD == 0 && w.IsPaid() {
			return t, nil, cli.UsageError(errors.New("a model of the campaign is paid for: give --cost-usd, as 5"))
		}
		if unfinished, err = runAttribution(ctx, r, s, w, a.ForkName()+".yaml"); err != nil {
			return t, nil, err
		}
	}
	t, err = w.Table(ctx)
	return t, unfinished, err
}

// runAttribution runs forks step by step. What a paused campaign leaves is not an error of it:
// the table shows what there is.
func runAttribution(ctx context.Context, r runs.Options, s store.Store, w *forks.Work,
	path string) (unfinished, err error) {
	if w.Begun() == 0 {
		if err := w.CheckBudget(ctx); err != nil {
			return nil, err
		}
	}
	for pairs := max(1, w.Begun()); ; {
		if err := w.File(pairs).WriteOwn(path); err != nil {
			return nil, err
		}
		fmt.Fprintln(os.Stderr, w.Summary(pairs))
		err := runStep(ctx, r, s, path)
		if cli.ExitCode(err) == cli.ExitIncomplete {
			return err, nil
		}
		if err != nil {
			return nil, err
		}
		r.Checks = false // once is enough
		spent, err := w.ReadSpent(ctx)
		if err != nil {
			return nil, err
		}
		next := w.Next(pairs, spent)
		if next == pairs {
			return nil, nil
		}
		pairs = next
	}
}

// runStep runs what is left of a campaign file, without its tables.
func runStep(ctx context.Context, r runs.Options, s store.Store, path string) error {
	p, m, _, err := planning.Flags{Fit: fitRule}.Read(ctx, r.Plugins, path, s, true)
	if err != nil {
		return err
	}
	if _, err := planning.CheckExtends(ctx, s, p, m); err != nil {
		return err
	}
	if campaigns.IsSealed(ctx, s, p) {
		return nil
	}
	_, err = r.Work(ctx, s, p, m, "roundtable run "+path)
	return err
}
