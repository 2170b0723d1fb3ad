package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/analysis/lake"
	"roundtable/analysis/record"
	"roundtable/analysis/sql"
	"roundtable/analysis/storage"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

var exportFormats = []string{"parquet", "csv", "jsonl"}

// exportTables are those that can be named; without a name, those of the
// collaborations themselves are written.
var exportTables = slices.Concat(record.Tables[:], record.Annotations[:])

// export is what is written of a campaign.
type export struct {
	campaign string
	tables   []string
	format   string
	output   string // a folder, or the file of the only table
	force    bool
}

func newExport(o *cli.Options) *cobra.Command {
	x, v := export{}, viewpoints{}
	var text, format, cache string
	var challenges bool
	cmd := &cobra.Command{
		Use:   "export NAME -o FOLDER|FILE",
		Short: "Write a campaign's tables, or the answer to a query, as Parquet, CSV or JSON lines",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 0 && text == "" {
				return cli.UsageError(fmt.Errorf("one campaign is wanted (or --query SQL), %d given", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if text != "" {
				if len(x.tables) > 0 || x.output == "" {
					return cli.UsageError(errors.New("--query wants -o FILE and no --table"))
				}
				f, err := cli.ChooseFormat(format, x.output, false, exportFormats)
				if err != nil {
					return cli.UsageError(err)
				}
				q := query{Options: o, campaigns: args, cache: cache, format: f, file: x.output, force: x.force}
				kept, err := q.keep(cmd, text)
				if err != nil {
					return err
				}
				return x.report(cmd, o.JSON, []exported{{"", kept.path, kept.rows, kept.bytes}})
			}
			x.campaign = args[0]
			if challenges {
				return exportChallenges(cmd, o, x, v.condition, format)
			}
			if cmd.Flags().Changed("viewpoints") {
				return v.run(cmd, o, x, format)
			}
			if err := x.settle(format); err != nil {
				return cli.UsageError(err)
			}
			return x.run(cmd, o)
		},
	}
	cmd.Flags().StringSliceVar(&x.tables, "table", nil, strings.Join(exportTables, ", ")+" (default: all but the last two, which are added later)")
	cmd.Flags().StringVar(&text, "query", "", "write what a SELECT answers instead, as roundtable query")
	cmd.Flags().StringVar(&format, "format", "", strings.Join(exportFormats, ", ")+" (default: parquet, or what FILE's name ends in)")
	cmd.Flags().StringVarP(&x.output, "output", "o", "", "a folder, or a FILE for one table")
	cmd.Flags().BoolVar(&x.force, "force", false, "replace files that exist")
	cmd.Flags().StringVar(&cache, "cache", "", "with --query: folder for copies of a lake in S3")
	v.flags(cmd)
	cmd.Flags().BoolVar(&challenges, "challenges", false, "write wrong first answers as solutions that challengers are shown (challenges.file)")
	return cmd
}

// settle fills in what was not said and refuses what makes no sense.
func (x *export) settle(format string) error {
	for _, t := range x.tables {
		if !slices.Contains(exportTables, t) {
			return fmt.Errorf("there is no table %q; there are %s", t, strings.Join(exportTables, ", "))
		}
	}
	if asked := x.tables; len(asked) == 0 {
		x.tables = record.Tables[:]
	} else {
		x.tables = slices.DeleteFunc(slices.Clone(exportTables), func(t string) bool { return !slices.Contains(asked, t) })
	}
	file := ""
	switch {
	case x.output == "":
		return errors.New("-o says where: a folder, or a file for one table")
	case x.strange():
		return fmt.Errorf("-o %s ends in %s, which is no format; a file's name ends in %s, a folder's in none or in /", x.output, filepath.Ext(x.output), wording.Or(exportFormats))
	case x.single() && len(x.tables) > 1:
		return fmt.Errorf("the file %s holds one table; say which with --table, or name a folder", x.output)
	case x.single():
		file = x.output
	}
	var err error
	x.format, err = cli.ChooseFormat(format, file, false, exportFormats)
	return err
}

func (x *export) place(table string) string {
	if x.single() {
		return x.output
	}
	return filepath.Join(x.output, table+"."+x.format)
}

// exported is a file that was written.
type exported struct {
	Table string `json:"table,omitempty"` // absent for a query
	Path  string `json:"path"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"`
}

// run writes all files and only then gives them their names.
func (x *export) run(cmd *cobra.Command, o *cli.Options) error {
	ctx := cmd.Context()
	s, d, err := x.open(ctx, o)
	if err != nil {
		return err
	}
	if err := x.room(); err != nil {
		return cli.UsageError(err)
	}
	var files []staged
	defer func() {
		for _, f := range files {
			f.drop()
		}
	}()
	for _, t := range x.tables {
		f, err := stage(x.place(t), func(w io.Writer) (int64, error) { return x.write(ctx, s, d, t, w) })
		if err != nil {
			return x.told(ctx, err)
		}
		files = append(files, f)
	}
	if err := x.warn(ctx, s, d, cmd.ErrOrStderr()); err != nil {
		return x.told(ctx, err)
	}
	var done []exported
	for i, f := range files {
		if err := f.publish(x.force); err != nil {
			return err
		}
		done = append(done, exported{x.tables[i], f.path, f.rows, f.bytes})
	}
	return x.report(cmd, o.JSON, done)
}

// open reads what the campaign has committed.
func (x *export) open(ctx context.Context, o *cli.Options) (storage.Store, lake.Dataset, error) {
	s, err := o.ReadLake(ctx, x.campaign)
	if err != nil {
		return nil, lake.Dataset{}, err
	}
	d, err := lake.ReadDataset(ctx, s, x.campaign)
	if err != nil {
		return nil, lake.Dataset{}, x.told(ctx, err)
	}
	return s, d, nil
}

// room makes the folder, unless a file that is in the way must stay.
func (x *export) room() error {
	for _, t := range x.tables {
		if err := writable(x.place(t), x.force); err != nil && (x.single() || !errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	if x.single() {
		return nil
	}
	return os.MkdirAll(x.output, 0o755)
}

// warn says so if there are scripted agents in the rows.
func (x *export) warn(ctx context.Context, s storage.Store, d lake.Dataset, w io.Writer) error {
	simulated := 0
	for c, err := range lake.Scan[record.Collaboration](ctx, s, d) {
		if err != nil {
			return err
		}
		if c.Simulated {
			simulated++
		}
	}
	if simulated > 0 {
		fmt.Fprintf(w, "SIMULATED: scripted agents answered in %d of %s (column simulated)\n", simulated, wording.Count(len(d.Members), "collaboration"))
	}
	return nil
}

func (x *export) told(ctx context.Context, err error) error {
	return withCode(ctx, cli.ExplainDamage(err, x.campaign, "nothing is written"))
}

func (x *export) write(ctx context.Context, s storage.Store, d lake.Dataset, table string, w io.Writer) (int64, error) {
	switch table {
	case record.Collaborations:
		return writeRows(worthOf(lake.Scan[record.Collaboration](ctx, s, d), func(c *record.Collaboration) {
			c.Measure, c.Outcome = new(c.MeasureOf()), c.Worth(c.Score)
		}), x.format, w)
	case record.Rounds:
		runs := map[lake.Run]record.Collaboration{}
		for c, err := range lake.Scan[record.Collaboration](ctx, s, d) {
			if err != nil {
				return 0, err
			}
			runs[lake.Run{Collaboration: c.CollaborationID, Generation: int(c.Generation)}] = c
		}
		return writeRows(worthOf(lake.Scan[record.Round](ctx, s, d), func(r *record.Round) {
			r.Outcome = runs[lake.Run{Collaboration: r.CollaborationID, Generation: int(r.Generation)}].Worth(r.Score)
		}), x.format, w)
	case record.Turns:
		return writeRows(lake.Scan[record.Turn](ctx, s, d), x.format, w)
	case record.Ballots:
		return writeRows(lake.Scan[record.Ballot](ctx, s, d), x.format, w)
	case record.Labels:
		return writeRows(lake.ScanAdded[record.Label](ctx, s, d), x.format, w)
	case record.Features:
		return writeRows(lake.ScanAdded[record.Feature](ctx, s, d), x.format, w)
	}
	return writeRows(lake.Scan[record.Call](ctx, s, d), x.format, w)
}

// worthOf fills in the columns that files of earlier versions lack.
func worthOf[T record.Row](rows iter.Seq2[T, error], fill func(*T)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for row, err := range rows {
			fill(&row)
			if !yield(row, err) {
				return
			}
		}
	}
}

// writeRows needs no DuckDB: rows go from the lake to the file.
func writeRows[T record.Row](rows iter.Seq2[T, error], format string, w io.Writer) (int64, error) {
	switch format {
	case "csv":
		return sql.WriteCSV(w, sql.Table(rows))
	case "jsonl":
		return sql.WriteJSONL(w, sql.Table(rows))
	}
	return sql.WriteParquet(w, rows)
}

func (x *export) report(cmd *cobra.Command, asJSON bool, done []exported) error {
	if asJSON {
		return cli.WriteJSON(cmd.OutOrStdout(), map[string]any{"files": done})
	}
	for _, f := range done {
		fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, %d bytes\n", f.Path, wording.Count(f.Rows, "row"), f.Bytes)
	}
	return nil
}
