package commands

import (
	"cmp"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"

	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/pages"
	"roundtable/infra"
)

func newReport(o *cli.Options) *cobra.Command {
	var file string
	var how pages.ReportParts
	cmd := &cobra.Command{
		Use:     "report NAME",
		Short:   "Write a campaign's report as one HTML page: result, figures, tables, transcripts",
		GroupID: toRead,
		Long: `Write one HTML page that needs nothing else: the result first, with figures and
tables, then every collaboration with its transcript, prompts and raw answers, what
went wrong and what ran. Many transcripts are packed in it; a browser unpacks them. Where -o names a folder,
each transcript is a separate page there.`,
		Example: `  roundtable report my-campaign
  roundtable report my-campaign -o results.html
  roundtable report my-campaign --with another
  roundtable report my-campaign -o results/`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := o.ReadLake(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := how.Choose(cmd.Context(), s, args[0]); err != nil {
				return err
			}
			if err := how.Open(cmd.Context(), o, args[0]); err != nil {
				return err
			}
			r, err := pages.WriteReport(cmd.Context(), s, o.Plugins, args[0], how, cmp.Or(file, args[0]+".html"))
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
	cmd.Flags().StringVarP(&file, "output", "o", "",
		"write to FILE, or to a folder if it ends in / (default: NAME.html)")
	cmd.Flags().BoolVar(&how.NoPrompts, "no-prompts", false,
		"leave out prompts and raw answers, which are most of a report")
	how.Messages.Flags(cmd)
	how.Together.Flags(cmd)
	return cmd
}

func newView(o *cli.Options) *cobra.Command {
	var how analyze.Messages
	port, open := 0, false
	cmd := &cobra.Command{
		Use:     "view [NAME]",
		Short:   "Show campaigns in a browser, also while they run",
		GroupID: toRead,
		Long: `Serve pages on this machine that show campaigns: their progress, live, with pause,
resume, tune and cancel; results; every collaboration with its prompts and answers. It
prints the address to open, which holds a token, and serves until Ctrl-C. Campaigns go
on without it.`,
		Example: `  roundtable view
  roundtable view my-campaign --open
  roundtable view --lake s3://bucket/lake`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.UsageError(fmt.Errorf("expected at most 1 campaign, got %d", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			var s store.Store
			var err error
			if len(args) == 1 {
				s, err = o.ReadLake(cmd.Context(), args[0])
			} else {
				s, err = o.OpenLake()
			}
			if err != nil {
				return err
			}
			infra.SetGCPercent(50) // pages stay open for hours beside other programs
			server := pages.NewServer(o, s, how)
			l, address, err := server.Listen(port)
			if err != nil {
				return cli.UsageError(fmt.Errorf("the pages cannot be served: %w", err))
			}
			if len(args) == 1 {
				address += "c/" + url.PathEscape(args[0]) + "/"
			}
			if err := announce(cmd, o, address); err != nil {
				return err
			}
			if open {
				remove, err := pages.Open(address)
				defer remove()
				if err != nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "no browser could be opened: %v\n", err)
				}
			}
			return server.Serve(cmd.Context(), l)
		},
	}
	cmd.Flags().IntVar(&port, "port", 0, "serve on this port of 127.0.0.1 (default: any that is free)")
	cmd.Flags().BoolVar(&open, "open", false, "open the address in the browser")
	how.Flags(cmd)
	return cmd
}

func announce(cmd *cobra.Command, o *cli.Options, address string) error {
	if o.JSON {
		return cli.WriteJSON(cmd.OutOrStdout(), map[string]string{"address": address})
	}
	_, err := fmt.Fprintf(cmd.OutOrStdout(), "Open %s\nCtrl-C ends it; campaigns continue.\n", address)
	return err
}
