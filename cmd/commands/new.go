package commands

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/scaffold"
	"roundtable/envs/wording"
)

func newNew(o *cli.Options) *cobra.Command {
	return &cobra.Command{
		Use:     "new " + strings.Join(scaffold.Kinds(), "|") + " NAME",
		Short:   "Write the first version of a study, decision rule, stopping rule, protocol or environment",
		GroupID: toSetUp,
		Long: `Write the first version of a study into this folder: a campaign file with comments
and a few questions to put yours in place of. Or that of a decision rule, stopping
rule, protocol or environment into the source code, in whose root the command is run: a
plug-in that works, and a test that runs the suite of its kind. It changes no file that
exists, and prints the entry for the catalogue.`,
		Example: `  roundtable new study triage
  roundtable new rule my_rule
  roundtable new env my_game`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.UsageError(fmt.Errorf("expected a kind and a name, got %s: %s",
					wording.Count(len(args), "argument"), cmd.UseLine()))
			}
			return nil
		},
		ValidArgs: scaffold.Kinds(),
		RunE: func(_ *cobra.Command, args []string) error {
			w, err := scaffold.Write(o.Plugins, ".", args[0], args[1])
			if err != nil {
				return cli.UsageError(err)
			}
			if o.JSON {
				return cli.WriteJSON(o.Stdout(), w)
			}
			if w.Entry == "" {
				fmt.Printf("Wrote:\n  %s\n\nLook at both, then:\n  roundtable plan %s.yaml\n  roundtable run "+
					"%[2]s.yaml\n", strings.Join(w.Files, "\n  "), args[1])
				return nil
			}
			fmt.Printf("Wrote:\n  %s\n\nAdd this entry to %s() in workflows/catalogue/catalogue.go:\n  %s\n\nThen "+
				"change the files and run:\n  go test %s\n",
				strings.Join(w.Files, "\n  "), w.List, w.Entry, w.Tests)
			return nil
		},
	}
}
