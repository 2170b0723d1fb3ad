package commands

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/imports"
	"roundtable/workflows/plan"
)

func newImport(o *cli.Options) *cobra.Command {
	var i imports.Import
	cmd := &cobra.Command{
		Use:     "import FILE|FOLDER --name NAME",
		Short:   "Make a campaign of transcripts that another program recorded",
		GroupID: toLabel,
		Long: `Make a campaign of transcripts that another program recorded, in the Parquet files
of Inspect Scout's database, so that label, features, analyze, view, query and export
take them as any other's. What nobody knows of them (costs, calls, prompts, ballots)
is absent, and the last message of a speaker stands as the decision. The same command
again finds what it has imported.`,
		Example: `  roundtable import transcripts/ --name theirs
  roundtable import dialogues.parquet --name dialogues --speakers assistant,user`,
		Args: cli.OneArg("file or folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			i.Path = args[0]
			if !plan.IsName(i.Name) {
				return cli.UsageError(errors.New("--name is needed: 1 to 63 of a-z, 0-9 and -, not beginning with -"))
			}
			isStrange := func(s string) bool { return !slices.Contains([]string{"assistant", "user", "system", "tool"}, s) }
			if len(i.Speakers) == 0 || slices.ContainsFunc(i.Speakers, isStrange) {
				return cli.UsageError(errors.New("--speakers: expected one or more of assistant, user, system, tool"))
			}
			if i.Card.License != "" && !plan.IsLicense(i.Card.License) {
				return cli.UsageError(errors.New("--license: expected an SPDX identifier or an address, as CC-BY-4.0 " +
					"or https://…"))
			}
			s, made, err := o.CreateLake()
			if err != nil {
				return err
			}
			defer made.Discard()
			sum, err := i.Run(cmd.Context(), s)
			if err != nil {
				return err
			}
			if o.JSON {
				return cli.WriteJSON(cmd.OutOrStdout(), sum)
			}
			sum.Print(cmd.OutOrStdout())
			return nil
		},
	}
	cmd.Flags().StringVar(&i.Name, "name", "", "name of the campaign")
	cmd.Flags().StringSliceVar(&i.Speakers, "speakers", []string{"assistant"},
		"roles whose messages are what agents say; the others are the environment's")
	cmd.Flags().StringVar(&i.Card.License, "license", "",
		"licence of the transcripts, for the card: an SPDX identifier or an address")
	cmd.Flags().StringVar(&i.Card.Citation, "citation", "", "how to cite the transcripts, for the card")
	return cmd
}
