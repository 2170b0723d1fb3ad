package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"roundtable/analysis/lake"
	"roundtable/analysis/record"
	"roundtable/analysis/storage"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/transcripts"
)

func newShow(o *cli.Options) *cobra.Command {
	var how transcripts.Parts
	cmd := &cobra.Command{
		Use:   "show COLLABORATION",
		Short: "Print a collaboration as a transcript, with prompts and raw answers on request",
		Args:  cli.OneArg("collaboration"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
			return completeCollaborations(o, cmd, args, begin)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := o.OpenLake()
			if err != nil {
				return err
			}
			rows, err := collaborationRows(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			v, err := transcripts.Read(cmd.Context(), s, rows, how)
			if err != nil {
				return err
			}
			if o.JSON {
				return v.WriteJSON(cmd.OutOrStdout())
			}
			return v.Write(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&how.Prompts, "prompts", false, "print the exact prompt of each entry")
	cmd.Flags().BoolVar(&how.Raw, "raw", false, "print each answer as it was received")
	cmd.Flags().IntVar(&how.Entry, "entry", -1, "print only this entry (the numbers are in the report and in --json)")
	return cmd
}

func collaborationRows(ctx context.Context, s storage.Store, id string) (rows record.Rows, err error) {
	c, err := campaigns.FindOne(ctx, s, id)
	if err != nil {
		return rows, err
	}
	d, err := lake.ReadDataset(ctx, s, c.Campaign)
	if err == nil {
		d, err = d.Generations(ctx, s)
	}
	if err != nil {
		return rows, err
	}
	run := lake.Run{Collaboration: c.Collaboration, Generation: c.Generation}
	for rows, err := range lake.Collaborations(ctx, s, d.Only(func(m lake.Member) bool { return m.Run == run })) {
		return rows, err
	}
	return rows, fmt.Errorf("the commit of %s has gone while it was read", run)
}
