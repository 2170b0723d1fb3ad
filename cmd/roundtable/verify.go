package main

import (
	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/integrity"
)

func newVerify(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:     "verify NAME",
		Short:   "Check everything that a campaign has stored: checksums, row digests, counts against the plan, decisions against ballots",
		GroupID: toRead,
		Long: `Check every object of a campaign against its checksum, count its cells, and
recount every decision from its ballots.`,
		Example: `  roundtable verify my-campaign`,
		Args:    cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := o.ReadLake(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			v, err := integrity.Check(cmd.Context(), s, args[0])
			if err != nil {
				return err
			}
			return v.Write(cmd.OutOrStdout(), o.JSON)
		},
	}
}
