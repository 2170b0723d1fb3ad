package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/forks"
	"roundtable/cmd/internal/planning"
	"roundtable/cmd/internal/runs"
)

func newFork(o *cli.Options) *cobra.Command {
	r := runs.Options{Options: o}
	var f forks.Request
	var file string
	noRun, noCheck := false, false
	var usd float64
	cmd := &cobra.Command{
		Use:     "fork NAME",
		Short:   "Run a campaign's collaborations on from a point, with a change, without paying for what came before",
		GroupID: toRun,
		Long: `Run a campaign's collaborations on from a point, with a change: another rule, model,
persona or order, an agent less, a message removed or replaced. What came before the
point are the stored answers of the campaign, none of which is asked again. The fork
is a campaign, whose file is written first; run, status, resume, verify, query and
export take it as any other. Its table fork-effects compares each change with the
original, paired by instance and replicate. Without a change, and with --control, it
shows what chance alone does.`,
		Example: `  roundtable fork my-campaign --at round=3 --set rule=ranked
  roundtable fork my-campaign --at round=3 --drop Alex --control --replicates 2
  roundtable fork my-campaign --remove round=2,agent=Blake --name without-blake
  roundtable fork my-campaign --at round=2 --change '{set: {rule: ranked}}' --change '{set: {rule: borda}}' --no-run`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Campaign, r.Checks = args[0], !noCheck
			if f.Replicates < 1 {
				return cli.UsageError(fmt.Errorf("--replicates %d: expected a whole number of at least 1",
					f.Replicates))
			}
			if cmd.Flags().Changed("cost-usd") {
				f.CostUSD = &usd
			}
			return runFork(cmd.Context(), r, f, file, noRun)
		},
	}
	flags := cmd.Flags()
	flags.Var(cli.Once(&f.At), "at", "the first round that is run again, round=3, or the first entry, entry=12 "+
		"(default with --remove or --replace, but not with --control: after that message)")
	flags.StringArrayVar(&f.Set, "set", nil,
		"KEY=VALUE from that point on, as rule=ranked or protocol.rounds=8; may be repeated")
	flags.StringSliceVar(&f.Drop, "drop", nil,
		"agents that take no further part: their turns are skipped and their votes are abstentions")
	flags.StringArrayVar(&f.Remove, "remove", nil,
		"messages that nobody gets to see, as round=2,agent=Blake; may be repeated")
	flags.StringArrayVar(&f.Replace, "replace", nil,
		"a message, as round=2,agent=Blake,phase=message, in whose place others see --text; may be repeated, with a "+
			"--text for each")
	flags.StringArrayVar(&f.Text, "text", nil, "what stands in place of the message that --replace names")
	flags.StringArrayVar(&f.Changes, "change", nil,
		"a change as in a campaign file, as {set: {rule: ranked}}; repeat it for several")
	flags.BoolVar(&f.Control, "control", false, "run on without a change, too, to see what chance alone does")
	flags.IntVar(&f.Replicates, "replicates", 1, "how often each collaboration is run on")
	flags.StringArrayVar(&f.Conditions, "condition", nil,
		"id or label of a condition that is forked, or several with commas; may be repeated (default: all; where "+
			"some have too few rounds, the only group that has enough)")
	flags.Float64Var(&usd, "cost-usd", 0, "the most that the fork may cost (default: no cap)")
	flags.StringVar(&f.Name, "name", "", "name of the fork (default: NAME-fork)")
	flags.StringVarP(&file, "output", "o", "", "where its campaign file is written (default: its name with .yaml)")
	flags.BoolVar(&noRun, "no-run", false, "write the campaign file only")
	flags.BoolVar(&noCheck, "no-check", false, runs.NoCheckUsage)
	o.Telemetry.Flags(flags)
	return cmd
}

// runFork writes the campaign file of a fork and runs it.
func runFork(ctx context.Context, r runs.Options, f forks.Request, path string, noRun bool) error {
	if err := r.Telemetry.Check(); err != nil {
		return err
	}
	s, p, m, err := campaigns.Open(ctx, r.Options, f.Campaign)
	if err != nil {
		return err
	}
	file, err := f.NewFile(p, m)
	if err != nil {
		return cli.UsageError(err)
	}
	if only := file.Fork.Conditions; len(f.Conditions) == 0 && len(only) == 1 {
		fmt.Fprintf(os.Stderr, "Forked is only %s (%s), the one group that has this round\n", only[0], m.Label(only[0]))
	}
	path = cmp.Or(path, file.Name+".yaml")
	isNew, err := file.Write(path)
	if err != nil {
		return err
	}
	if _, _, _, err := (planning.Flags{Fit: fitRule}).Read(ctx, r.Plugins, path, s, false); err != nil {
		if isNew { // the corrected command is to write it
			err = errors.Join(err, os.Remove(path))
		}
		return err
	}
	fmt.Fprintf(os.Stderr, "The fork is %s: roundtable run %s\n", path, path)
	if noRun {
		return nil
	}
	return runCampaign(ctx, r, path, planning.Flags{Fit: fitRule})
}
