package commands

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"roundtable/analysis/table"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/cli"
)

func newRetally(o *cli.Options) *cobra.Command {
	var r analyze.Retally
	var format, file string
	var from int
	cmd := &cobra.Command{
		Use:     "retally NAME",
		Short:   "Count a campaign's recorded votes under other rules, without a call",
		GroupID: toRead,
		Long: `Count every recorded vote of a campaign under other rules, without a call: which
decisions would have differed, and by how much. Ballots are converted where they
say enough (rankings from ratings, approvals by a threshold); each conversion is
named. After the first vote that differs, what agents would have said is not known,
and the table says of how many collaborations the final decision is.`,
		Example: `  roundtable retally my-campaign
  roundtable retally my-campaign --rule borda --rule '{name: ranked, partial: true}'`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("approve-from") {
				r.ApproveFrom = &from
			}
			if r.ApproveFirst < 0 {
				return cli.UsageError(fmt.Errorf("--approve-first %d: expected a whole number of at least 0",
					r.ApproveFirst))
			}
			as, err := cli.ChooseFormat(format, file, o.JSON, table.Formats())
			if err != nil {
				return cli.UsageError(err)
			}
			s, err := o.ReadLake(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			t, err := r.Make(cmd.Context(), o, s, args[0])
			if err != nil {
				return err
			}
			return cli.WriteOutput(file, cmd.OutOrStdout(),
				func(w io.Writer) error { return table.Write(w, as, []table.Table{t}) })
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&r.Rules, "rule", nil,
		"a rule as in a campaign file, a name or {name: …, parameters}; repeat it for several (default: all that "+
			"count ballots)")
	f.IntVar(&from, "approve-from", 0, "the least rating, or points, that approve a candidate (default: ratings from "+
		"halfway on, any points)")
	f.IntVar(&r.ApproveFirst, "approve-first", 0,
		"how many of a ranking's first candidates are approved (default: rankings are not counted as approvals)")
	f.StringVar(&format, "format", "", "text, md, csv, json, html or latex")
	f.StringVarP(&file, "output", "o", "", "file to write to (default: standard output)")
	return cmd
}
