package commands

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/report"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/runs"
	"roundtable/envs/wording"
)

func newCost(o *cli.Options) *cobra.Command {
	var by, format, bill string
	cmd := &cobra.Command{
		Use:     "cost NAME",
		Short:   "Show what a campaign's committed calls took: money, tokens, time",
		GroupID: toRead,
		Long: `Show what a campaign's committed calls took: calls, tokens, money and time. Calls
of unknown outcome count at their worst case until --settle records their bill.`,
		Example: `  roundtable cost my-campaign
  roundtable cost my-campaign --by model --format csv
  roundtable cost my-campaign --settle 0.05`,
		Args: cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := tableFormat(o, format, "")
			if err == nil && !slices.Contains(campaign.SpendingBys(), campaign.SpendingBy(by)) {
				err = fmt.Errorf("costs by %q are not known; there is %s", by, wording.Or(campaign.SpendingBys()))
			}
			if err != nil {
				return cli.UsageError(err)
			}
			s, err := o.CheckLake(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if bill != "" {
				if err := runs.RecordBills(cmd.Context(), o, cmd.ErrOrStderr(), s, args[0], bill); err != nil {
					return err
				}
			}
			r, err := campaigns.ReadCost(cmd.Context(), s, args[0], campaign.SpendingBy(by))
			if err != nil {
				return err
			}
			if f == "csv" { // which has no place for it
				for _, warning := range r.Changed() {
					fmt.Fprintln(cmd.ErrOrStderr(), "roundtable: warning:", warning)
				}
			}
			return writeCost(cmd.OutOrStdout(), r, f)
		},
	}
	cmd.Flags().StringVar(&by, "by", string(campaign.ByCondition),
		fmt.Sprintf("what the rows stand for: %s", wording.Or(campaign.SpendingBys())))
	cmd.Flags().StringVar(&bill, "settle", "",
		"record what calls of unknown outcome were billed: `unbilled`, or an amount in US dollars for all of them")
	cmd.Flags().StringVar(&format, "format", "", wording.Or(table.Formats())+" (default: text)")
	return cmd
}

// costs is the JSON of cost.
type costs struct {
	Campaign string      `json:"campaign"`
	Cells    costCells   `json:"cells"`
	Warnings []string    `json:"warnings"`
	Table    table.Table `json:"table"`
}

type costCells struct {
	Planned   *int `json:"planned"` // null if the plan is not known
	Committed int  `json:"committed"`
}

func writeCost(w io.Writer, r campaign.Spending, format string) error {
	if format != "json" {
		return table.Write(w, format, []table.Table{report.CostTable(r)})
	}
	c := costs{Campaign: r.Campaign, Cells: costCells{Committed: r.InPlan},
		Warnings: append([]string{}, r.Changed()...), Table: report.CostTable(r)}
	if r.Planned > 0 {
		c.Cells.Planned = &r.Planned
	}
	return cli.WriteJSON(w, c)
}
