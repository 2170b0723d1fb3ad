package commands

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/infra"
)

func newStatus(o *cli.Options) *cobra.Command {
	var watch bool
	cmd := &cobra.Command{
		Use:     "status [NAME]",
		Short:   "Show the progress of campaigns",
		GroupID: toRun,
		Long: `Show the progress of campaigns, what they have cost so far, what limits their
speed, and their limits. A running campaign is shown from any terminal; --watch
shows it again every two seconds, until nothing runs any more.`,
		Example: `  roundtable status
  roundtable status my-campaign --watch
  roundtable status my-campaign --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.UsageError(fmt.Errorf("expected at most 1 campaign, got %d", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			defer infra.TuneGC(256 << 20)() // collecting garbage was a quarter of the work for a large campaign
			if watch {
				return watchStatuses(cmd.Context(), o, args)
			}
			_, err := printStatuses(cmd.Context(), o, o.Stdout(), args)
			return err
		},
	}
	cmd.Flags().BoolVar(&watch, "watch", false, "show it again every two seconds, until nothing runs")
	return cmd
}

// watchStatuses shows statuses again and again: in place on a terminal, and below each
// other elsewhere, in JSON a document each time. Ctrl-C ends it.
func watchStatuses(ctx context.Context, o *cli.Options, names []string) error {
	clear := ""
	if out, ok := o.Stdout().(*os.File); ok && isatty.IsTerminal(out.Fd()) {
		clear = "\x1b[H\x1b[2J"
	}
	for {
		var screen bytes.Buffer
		running, err := printStatuses(ctx, o, &screen, names)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(o.Stdout(), "%s%s", clear, &screen)
		if !running {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(2 * time.Second):
		}
	}
}

// printStatuses writes the statuses of campaigns, of all if none is named, and reports
// whether one of them runs.
func printStatuses(ctx context.Context, o *cli.Options, out io.Writer, names []string) (running bool, err error) {
	s, err := o.OpenLake()
	if err != nil {
		return false, err
	}
	if len(names) == 0 {
		if names, err = lake.Campaigns(ctx, s); err != nil {
			return false, err
		}
	}
	all, err := readStatuses(ctx, o, s, names)
	if err != nil {
		return false, err
	}
	for _, st := range all {
		running = running || st.State == "running"
	}
	if o.JSON {
		return running, cli.WriteJSON(out, all)
	}
	if len(all) == 0 {
		fmt.Fprintf(out, "the lake %s has no campaign\n", o.LakeName())
	}
	for _, st := range all {
		st.Write(out)
	}
	return running, nil
}

// readStatuses asks for 16 at once: a busy worker takes seconds for each answer.
func readStatuses(ctx context.Context, o *cli.Options, s store.Store, names []string) ([]campaigns.Status, error) {
	all := make([]campaigns.Status, len(names))
	reading, ctx := errgroup.WithContext(ctx)
	reading.SetLimit(16)
	for i, name := range names {
		reading.Go(func() (err error) {
			all[i], err = campaigns.ReadStatus(ctx, o, s, name)
			if err != nil && len(names) > 1 && ctx.Err() == nil { // one hides no other
				all[i], err = campaigns.Status{Name: name, State: "unreadable", Damage: err.Error()}, nil
			}
			return err
		})
	}
	return all, reading.Wait()
}
