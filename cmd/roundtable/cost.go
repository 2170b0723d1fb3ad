package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/spf13/cobra"

	"roundtable/activities/ledger"
	"roundtable/activities/recorded"
	"roundtable/analysis/cost"
	"roundtable/analysis/storage"
	"roundtable/analysis/table"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

func newCost(o *cli.Options) *cobra.Command {
	var by, format, settle string
	cmd := &cobra.Command{
		Use:   "cost NAME",
		Short: "Show what a campaign's committed calls took: money, tokens, time",
		Args:  cli.OneArg("campaign"),
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := tableFormat(o, format, "")
			if err == nil && !slices.Contains(cost.Bys(), cost.By(by)) {
				err = fmt.Errorf("costs by %q are not known; there is %s", by, wording.Or(cost.Bys()))
			}
			if err != nil {
				return cli.UsageError(err)
			}
			s, err := o.ReadLake(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if settle != "" {
				if err := settleCalls(cmd.Context(), o, cmd.ErrOrStderr(), s, args[0], settle); err != nil {
					return err
				}
			}
			r, err := readCost(cmd.Context(), s, args[0], cost.By(by))
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
	cmd.Flags().StringVar(&by, "by", string(cost.ByCondition), fmt.Sprintf("what the rows stand for: %s", wording.Or(cost.Bys())))
	cmd.Flags().StringVar(&settle, "settle", "", "record what calls of unknown outcome were billed: `unbilled`, an amount in US dollars for all of them, or a file of the service's usage export (.csv, .jsonl, .json)")
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

// readCost reads the costs, and the plan if there is one.
func readCost(ctx context.Context, s storage.Store, name string, by cost.By) (cost.Report, error) {
	r, err := cost.Load(ctx, s, name, by)
	if err != nil {
		return r, cli.ExplainDamage(err, name, "the costs are not known")
	}
	if err := addShared(ctx, s, &r); err != nil {
		return r, cli.ExplainDamage(err, name, "the costs are not known")
	}
	p, _, err := recorded.ReadRecorded(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		r.Planned = p.Campaign.Size()
	}
	return r, err
}

// addShared adds the calls that are of no collaboration.
func addShared(ctx context.Context, s storage.Store, r *cost.Report) error {
	embedded, err := ledger.EmbeddingCalls(ctx, s, r.Campaign)
	if err != nil {
		return err
	}
	r.Embedded(embedded)
	checks, err := ledger.CheckCalls(ctx, s, r.Campaign)
	if err != nil {
		return err
	}
	r.Checked(checks)
	return nil
}

func writeCost(w io.Writer, r cost.Report, format string) error {
	if format != "json" {
		return table.Write(w, format, []table.Table{r.Table()})
	}
	c := costs{Campaign: r.Campaign, Cells: costCells{Committed: r.InPlan}, Warnings: append([]string{}, r.Changed()...), Table: r.Table()}
	if r.Planned > 0 {
		c.Cells.Planned = &r.Planned
	}
	return cli.WriteJSON(w, c)
}
