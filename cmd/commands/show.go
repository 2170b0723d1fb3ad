package commands

import (
	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/transcripts"
)

func newShow(o *cli.Options) *cobra.Command {
	var how transcripts.Parts
	cmd := &cobra.Command{
		Use:     "show COLLABORATION",
		Short:   "Print a collaboration as a transcript, with prompts and raw answers on request",
		GroupID: toRead,
		Long: `Print a collaboration as a transcript. COLLABORATION is its id, the beginning of
it if no other begins so, or CAMPAIGN/ID; ID.1 is its second generation. One that
has not ended is shown as far as it has come, whether or not its campaign runs.

--prompts renders each prompt again from the recorded templates and the stored
answers, and checks it against the hash recorded when it was sent. --raw prints
every answer as it was received, also those that could not be used.`,
		Example: `  roundtable show majority-3fa2b1c4-i0-r7
  roundtable show my-campaign/majority-3fa2b1c4-i0-r7 --prompts --raw --entry 4
  roundtable show majority-3fa2b1c4-i0-r7 --raw --json`,
		Args: cli.OneArg("collaboration"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begin string) ([]string, cobra.ShellCompDirective) {
			return completeCollaborations(o, cmd, args, begin)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := o.OpenLake()
			if err != nil {
				return err
			}
			v, err := transcripts.Read(cmd.Context(), s, o.Plugins, args[0], how)
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
	cmd.Flags().BoolVar(&how.Thinking, "thinking", false,
		"print what models thought before their answers; no agent was shown it")
	cmd.Flags().IntVar(&how.Entry, "entry", -1, "print only this entry (the numbers are in the report and in --json)")
	return cmd
}
