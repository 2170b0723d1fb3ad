package commands

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
)

func newStatus(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:     "status [NAME]",
		Short:   "Show the progress of campaigns",
		GroupID: toRun,
		Long: `Show the progress of campaigns, what they have cost so far, what limits their
speed, and their limits. A running campaign is shown from any terminal.`,
		Example: `  roundtable status
  roundtable status my-campaign --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.UsageError(fmt.Errorf("expected at most 1 campaign, got %d", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return printStatuses(cmd.Context(), o, args) },
	}
}

func printStatuses(ctx context.Context, o *cli.Options, names []string) error {
	s, err := o.OpenLake()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		if names, err = lake.Campaigns(ctx, s); err != nil {
			return err
		}
	}
	all, err := readStatuses(ctx, o, s, names)
	if err != nil {
		return err
	}
	if o.JSON {
		return cli.WriteJSON(o.Stdout(), all)
	}
	if len(all) == 0 {
		fmt.Fprintf(o.Stdout(), "the lake %s has no campaign\n", o.LakeName())
	}
	for _, st := range all {
		st.Write(o.Stdout())
	}
	return nil
}

// readStatuses asks for 16 at once: a busy worker takes seconds for each answer.
func readStatuses(ctx context.Context, o *cli.Options, s storage.Store, names []string) ([]campaigns.Status, error) {
	all := make([]campaigns.Status, len(names))
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(16)
	for i, name := range names {
		reading.Go(func() (err error) {
			all[i], err = campaigns.ReadStatus(ctx, o, s, name)
			return err
		})
	}
	return all, reading.Wait()
}
