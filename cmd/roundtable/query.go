package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"roundtable/analysis/sql"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// maxScript is how long the statements of one command may be together.
const maxScript = 1 << 20

// query is what is asked for of a lake.
type query struct {
	*cli.Options
	campaigns []string // none are all
	cache     string
	format    string // one of queryFormats
	file      string // "" is standard output
	force     bool
}

var queryFormats = []string{"table", "csv", "json", "jsonl", "parquet"}

func newQuery(o *cli.Options) *cobra.Command {
	q := query{Options: o}
	var format, script string
	cmd := &cobra.Command{
		Use:   "query [SQL]",
		Short: "Answer SQL over the tables of the lake, also while campaigns run",
		Long: "Answer SQL over the tables collaborations, rounds, turns, ballots and calls,\n" +
			"and labels and features of campaigns that have them, with DuckDB.\n" +
			"Without SQL and --file, statements come from standard input; on a terminal there is a prompt.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return cli.UsageError(fmt.Errorf("SQL is one argument, %d given; put it in quotes", len(args)))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if q.format, err = cli.ChooseFormat(format, q.file, o.JSON, queryFormats); err != nil {
				return cli.UsageError(err)
			}
			in := cmd.InOrStdin()
			if len(args) == 0 && script == "" && terminal(in) && terminal(cmd.OutOrStdout()) && q.file == "" {
				return q.prompt(cmd)
			}
			text, err := statements(args, script, in)
			if err != nil {
				return cli.UsageError(err)
			}
			return q.run(cmd, text)
		},
	}
	cmd.Flags().StringVar(&script, "file", "", "read statements from FILE; - is standard input")
	cmd.Flags().StringSliceVar(&q.campaigns, "campaign", nil, "only these campaigns (default: all of the lake)")
	cmd.Flags().StringVar(&format, "format", "", strings.Join(queryFormats, ", ")+" (default: table, or what FILE's name ends in)")
	cmd.Flags().StringVarP(&q.file, "output", "o", "", "write to FILE instead of standard output")
	cmd.Flags().BoolVar(&q.force, "force", false, "replace FILE if it exists")
	cmd.Flags().StringVar(&q.cache, "cache", "", "folder for copies of a lake in S3 (default: the user's cache folder)")
	return cmd
}

// statements returns the SQL of an argument, a file or standard input.
func statements(args []string, file string, in io.Reader) (string, error) {
	switch {
	case len(args) == 1 && file != "":
		return "", errors.New("SQL and --file are both given; give one")
	case len(args) == 1:
		return args[0], nil
	case file != "" && file != "-":
		f, err := os.Open(file)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	case file == "" && terminal(in):
		return "", errors.New("which statement? Give SQL in quotes, or --file; the prompt wants a terminal for its output too")
	}
	data, err := io.ReadAll(io.LimitReader(in, maxScript+1))
	if err == nil && len(data) > maxScript {
		err = fmt.Errorf("the statements are longer than %d bytes", maxScript)
	}
	return string(data), err
}

// open makes a database over the lake.
func (q *query) open(ctx context.Context, tell io.Writer) (*sql.DB, error) {
	s, err := q.OpenLake()
	for i := 0; i < len(q.campaigns) && err == nil; i++ {
		s, err = q.ReadLake(ctx, q.campaigns[i])
	}
	if err != nil {
		return nil, err
	}
	return sql.Open(ctx, sql.Source{
		Store: s, Location: q.Lake, Campaigns: q.campaigns, Cache: q.cache,
		Tell: func(line string) { fmt.Fprintln(tell, line) },
	})
}

// run answers statements.
func (q *query) run(cmd *cobra.Command, text string) error {
	out := cmd.OutOrStdout()
	if q.file != "" {
		f, err := q.keep(cmd, text)
		if err == nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", f.path, wording.Count(f.rows, "row"))
		}
		return err
	}
	if q.format == "parquet" && terminal(out) {
		return cli.UsageError(errors.New("a Parquet file is not for a terminal; -o FILE keeps it"))
	}
	_, err := q.answer(cmd, text, out)
	return err
}

// keep returns run with a file, which is written whole or not at all.
func (q *query) keep(cmd *cobra.Command, text string) (f staged, err error) {
	if err := writable(q.file, q.force); err != nil {
		return f, cli.UsageError(err)
	}
	f, err = stage(q.file, func(w io.Writer) (int64, error) { return q.answer(cmd, text, w) })
	if err == nil {
		err = f.publish(q.force)
	}
	return f, err
}

// answer runs statements on a database of their own.
func (q *query) answer(cmd *cobra.Command, text string, w io.Writer) (rows int64, err error) {
	all, rest := sql.Split(text, 1)
	if rest.Text != "" {
		all = append(all, rest)
	}
	if len(all) == 0 {
		return 0, cli.UsageError(errors.New("there is no statement"))
	}
	ctx := cmd.Context()
	db, err := q.open(ctx, cmd.ErrOrStderr())
	if err == nil {
		defer db.Close()
		rows, err = q.each(ctx, db, all, w)
	}
	return rows, withCode(ctx, err)
}

// each runs statements one after the other. Tables show all that have rows; the
// other formats hold one result, that of the last statement.
func (q *query) each(ctx context.Context, db *sql.DB, all []sql.Statement, w io.Writer) (rows int64, err error) {
	for i, s := range all {
		if i == len(all)-1 || q.format == "table" {
			rows, err = q.write(ctx, db, s, w)
		} else {
			err = prepareFor(ctx, db, s, q.format)
		}
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// prepareFor runs a statement, such as CREATE VIEW, that has no rows.
func prepareFor(ctx context.Context, db *sql.DB, s sql.Statement, format string) error {
	r, err := db.Run(ctx, s)
	if err == nil && len(r.Columns) > 0 {
		err = cli.UsageError(fmt.Errorf("the statement in line %d has rows and is not the last; %s holds one result", s.Line, format))
	}
	if err == nil {
		for _, failed := range r.Rows { // it is over when its rows are
			err = errors.Join(err, failed)
		}
	}
	return err
}

func (q *query) write(ctx context.Context, db *sql.DB, s sql.Statement, w io.Writer) (int64, error) {
	switch q.format {
	case "table":
		r, err := db.Run(ctx, s)
		if err != nil {
			return 0, err
		}
		return writeTable(w, r)
	case "parquet":
		return db.Parquet(ctx, s, w)
	}
	r, err := db.Stream(ctx, s)
	if err != nil {
		return 0, err
	}
	switch {
	case len(r.Columns) == 0: // CREATE VIEW and the like
		return 0, nil
	case q.format == "json":
		return sql.WriteJSON(w, r)
	case q.format == "jsonl":
		return sql.WriteJSONL(w, r)
	case terminal(w):
		r = harmless(r)
	}
	return sql.WriteCSV(w, r)
}

// withCode gives an error the code that the program ends with.
func withCode(ctx context.Context, err error) error {
	_, refused := errors.AsType[sql.Refused](err)
	switch {
	case err != nil && ctx.Err() != nil:
		return cli.InterruptedError(errors.New("interrupted"))
	case refused:
		return cli.UsageError(err)
	}
	return err
}
