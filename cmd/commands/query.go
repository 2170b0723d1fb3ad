package commands

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/exports"
)

func newQuery(o *cli.Options) *cobra.Command {
	q := exports.Query{Options: o}
	var format, script string
	cmd := &cobra.Command{
		Use:     "query [SQL]",
		Short:   "Answer SQL over the tables of the lake, also while campaigns run",
		GroupID: toRead,
		Long:    `Answer SQL over the tables of the lake. Without a statement it opens a prompt.`,
		Example: `  roundtable query "SELECT rule, avg(outcome) FROM collaborations GROUP BY rule"
  roundtable query --file study.sql -o study.csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.UsageError(fmt.Errorf("query takes one argument, SQL in quotes, and %d are given; "+
					"--campaign NAME chooses a campaign", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if q.Format, err = cli.ChooseFormat(format, q.File, o.JSON, exports.QueryFormats); err != nil {
				return cli.UsageError(err)
			}
			in := cmd.InOrStdin()
			if len(args) == 0 && script == "" && cli.IsTerminal(in) && cli.IsTerminal(cmd.OutOrStdout()) &&
				q.File == "" {
				return q.Prompt(cmd)
			}
			text, err := exports.ReadScript(args, script, in)
			if err != nil {
				return cli.UsageError(err)
			}
			return q.Run(cmd, text)
		},
	}
	cmd.Flags().StringVar(&script, "file", "", "read statements from FILE; - is standard input")
	cmd.Flags().StringSliceVar(&q.Campaigns, "campaign", nil, "only these campaigns (default: all of the lake)")
	cmd.Flags().StringVar(&format, "format", "",
		strings.Join(exports.QueryFormats, ", ")+" (default: table, or what FILE's name ends in)")
	cmd.Flags().StringVarP(&q.File, "output", "o", "", "write to FILE instead of standard output")
	cmd.Flags().BoolVar(&q.Force, "force", false, "replace FILE if it exists")
	cmd.Flags().StringVar(&q.Cache, "cache", "", "folder for copies of a lake in S3 (default: the user's cache folder)")
	return cmd
}
