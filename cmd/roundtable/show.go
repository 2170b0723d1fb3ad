package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/analysis/lake"
	"roundtable/analysis/record"
	"roundtable/analysis/safetext"
	"roundtable/analysis/storage"
	"roundtable/cmd/internal/cli"
)

// showing is which parts of a collaboration are shown.
type showing struct {
	prompts, raw bool
	entry        int // -1 is all
}

func newShow(o *cli.Options) *cobra.Command {
	var how showing
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
			v, err := view(cmd.Context(), s, rows, how)
			if err != nil {
				return err
			}
			if o.JSON {
				return v.json(cmd.OutOrStdout())
			}
			return v.show(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&how.prompts, "prompts", false, "print the exact prompt of each entry")
	cmd.Flags().BoolVar(&how.raw, "raw", false, "print each answer as it was received")
	cmd.Flags().IntVar(&how.entry, "entry", -1, "print only this entry (the numbers are in the report and in --json)")
	return cmd
}

func collaborationRows(ctx context.Context, s storage.Store, id string) (rows record.Rows, err error) {
	c, err := findOne(ctx, s, id)
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

// json writes the rows; what could steer a terminal is escaped, which JSON
// itself demands only of some control characters.
func (v viewed) json(w io.Writer) error {
	var b bytes.Buffer
	if err := cli.WriteJSON(&b, v.document()); err != nil {
		return err
	}
	_, err := w.Write(safetext.EscapeJSON(b.Bytes()))
	return err
}

// rowsJSON returns every table with the columns' names.
func rowsJSON(r record.Rows) map[string]any {
	return map[string]any{
		record.Collaborations: byColumn(r.Collaborations), record.Rounds: byColumn(r.Rounds), record.Turns: byColumn(r.Turns),
		record.Ballots: byColumn(r.Ballots), record.Calls: byColumn(r.Calls),
	}
}

func byColumn[T record.Row](rows []T) []map[string]any {
	list := make([]map[string]any, len(rows))
	for i := range rows {
		list[i] = map[string]any{}
		columns(list[i], reflect.ValueOf(rows[i]))
	}
	return list
}

func columns(row map[string]any, v reflect.Value) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			columns(row, v.Field(i))
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("parquet"), ",")
		row[name] = v.Field(i).Interface()
	}
}
