package exports

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/peterh/liner"
	"github.com/spf13/cobra"

	"roundtable/analysis/sql"
	"roundtable/cmd/internal/cli"
	"roundtable/envs/wording"
)

// maxScript is how long the statements of one command may be together.
const maxScript = 1 << 20

// Query holds the flags of the command query.
type Query struct {
	*cli.Options
	Campaigns []string // none are all
	Cache     string
	Format    string // one of QueryFormats
	File      string // "" is standard output
	Force     bool
}

var QueryFormats = []string{"table", "vertical", "csv", "json", "jsonl", "parquet"}

// ReadScript returns SQL: that of the only argument, of the file, or of in.
func ReadScript(args []string, file string, in io.Reader) (string, error) {
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
	case file == "" && cli.IsTerminal(in):
		return "", errors.New("which statement? Give SQL in quotes, or --file; the prompt needs a terminal for its " +
			"output too")
	}
	data, err := io.ReadAll(io.LimitReader(in, maxScript+1))
	if err == nil && len(data) > maxScript {
		err = fmt.Errorf("the statements are longer than %d bytes", maxScript)
	}
	return string(data), err
}

// Open opens a database over the lake; slow steps are announced on tell.
func (q *Query) Open(ctx context.Context, tell io.Writer) (*sql.DB, error) {
	s, err := q.OpenLake()
	for i := 0; i < len(q.Campaigns) && err == nil; i++ {
		s, err = q.ReadLake(ctx, q.Campaigns[i])
	}
	if err != nil {
		return nil, err
	}
	made, err := sqlFunctions(ctx, s, q.Plugins)
	if err != nil {
		return nil, err
	}
	return sql.Open(ctx, sql.Source{
		Store: s, Location: q.Lake, Campaigns: q.Campaigns, Cache: q.Cache,
		Tell:      func(line string) { fmt.Fprintln(tell, line) },
		Functions: made,
	})
}

// Run answers the statements in text, on standard output or into q.File.
func (q *Query) Run(cmd *cobra.Command, text string) error {
	out := cmd.OutOrStdout()
	if q.File != "" {
		f, err := q.WriteFile(cmd, text)
		if err == nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", f.Path, wording.Count(f.Rows, "row"))
		}
		return err
	}
	if q.Format == "parquet" && cli.IsTerminal(out) {
		return cli.UsageError(errors.New("a Parquet file is not for a terminal; -o FILE keeps it"))
	}
	_, err := q.answer(cmd, text, out)
	return err
}

// WriteFile answers the statements in text into q.File, which is written completely or not at all.
func (q *Query) WriteFile(cmd *cobra.Command, text string) (f cli.StagedFile, err error) {
	if err := cli.CheckOutput(q.File, q.Force); err != nil {
		return f, cli.UsageError(err)
	}
	f, err = cli.StageFile(q.File, func(w io.Writer) (int64, error) { return q.answer(cmd, text, w) })
	if err == nil {
		err = f.Publish(q.Force)
	}
	return f, err
}

// answer runs statements on a database of their own.
func (q *Query) answer(cmd *cobra.Command, text string, w io.Writer) (rows int64, err error) {
	all, rest := sql.Split(text, 1)
	if rest.Text != "" {
		all = append(all, rest)
	}
	if len(all) == 0 {
		return 0, cli.UsageError(errors.New("there is no statement"))
	}
	ctx := cmd.Context()
	db, err := q.Open(ctx, cmd.ErrOrStderr())
	if err == nil {
		defer db.Close()
		rows, err = q.runEach(ctx, db, all, w)
	}
	return rows, WithExitCode(ctx, err)
}

// runEach runs statements one after the other. Tables show all that have rows; the
// other formats hold one result, that of the last statement.
func (q *Query) runEach(ctx context.Context, db *sql.DB, all []sql.Statement, w io.Writer) (rows int64, err error) {
	for i, s := range all {
		if i == len(all)-1 || q.isForPeople() {
			rows, err = q.write(ctx, db, s, w)
		} else {
			err = prepareFor(ctx, db, s, q.Format)
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
		err = cli.UsageError(fmt.Errorf("the statement in line %d has rows and is not the last; %s holds one result",
			s.Line, format))
	}
	if err == nil {
		for _, failed := range r.Rows { // it is over when its rows are
			err = errors.Join(err, failed)
		}
	}
	return err
}

// isForPeople reports whether answers follow one another, each with its number of rows.
func (q *Query) isForPeople() bool { return q.Format == "table" || q.Format == "vertical" }

func (q *Query) write(ctx context.Context, db *sql.DB, s sql.Statement, w io.Writer) (int64, error) {
	switch {
	case q.isForPeople():
		r, err := db.Run(ctx, s)
		if err != nil {
			return 0, err
		}
		write := writeTable
		if q.Format == "vertical" && !r.Plan {
			write = writeVertical
		}
		var text bytes.Buffer
		n, err := write(&text, r)
		return n, errors.Join(err, cli.Page(w, text.Bytes(), q.Working))
	case q.Format == "parquet":
		return db.Parquet(ctx, s, w)
	}
	r, err := db.Stream(ctx, s)
	if err != nil {
		return 0, err
	}
	switch {
	case len(r.Columns) == 0: // CREATE VIEW and the like
		return 0, nil
	case q.Format == "json":
		return sql.WriteJSON(w, r)
	case q.Format == "jsonl":
		return sql.WriteJSONL(w, r)
	case cli.IsTerminal(w):
		r = harmlessResult(r)
	}
	return sql.WriteCSV(w, r)
}

// WithExitCode gives err its exit code: interrupted if ctx is done, a usage error if DuckDB or the guard
// refused the statement.
func WithExitCode(ctx context.Context, err error) error {
	_, refused := errors.AsType[sql.Refused](err)
	switch {
	case err != nil && ctx.Err() != nil:
		return cli.InterruptedError(errors.New("interrupted"))
	case refused:
		return cli.UsageError(err)
	}
	return err
}

const welcome = `The tables are collaborations, rounds, turns, ballots, calls, labels, features and instances, as of now; DESCRIBE turns; shows columns.
What has begun and not ended is in unfinished_collaborations, unfinished_turns and so on.
A statement ends with a semicolon. .tables lists them, .vertical shows a value a line and back. Ctrl-C drops a statement, Ctrl-D or exit leaves.`

// Prompt answers the statements that a person types at a terminal.
func (q *Query) Prompt(cmd *cobra.Command) error {
	ctx := cmd.Context()
	db, err := q.Open(ctx, cmd.ErrOrStderr())
	if err != nil {
		return WithExitCode(ctx, err)
	}
	defer db.Close()
	lines := liner.NewLiner()
	defer lines.Close()
	lines.SetCtrlCAborts(true)
	fmt.Fprintln(cmd.ErrOrStderr(), welcome)
	return q.Converse(ctx, db, cmd.OutOrStdout(), cmd.ErrOrStderr(), func(mark string) (string, error) {
		line, err := lines.Prompt(mark)
		if strings.TrimSpace(line) != "" {
			lines.AppendHistory(line)
		}
		return line, err
	})
}

// Converse reads lines with read, which shows mark as its prompt, and answers each statement when its
// semicolon is read. Errors of statements are written to problems and do not end it.
func (q *Query) Converse(ctx context.Context, db *sql.DB, out, problems io.Writer,
	read func(mark string) (string, error)) error {
	text := ""
	for {
		mark := "sql> "
		if text != "" {
			mark = "...> "
		}
		line, err := read(mark)
		switch {
		case errors.Is(err, liner.ErrPromptAborted):
			text = ""
			continue
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if text == "" {
			switch strings.ToLower(strings.Trim(line, " \t;")) {
			case "exit", "quit":
				return nil
			case ".tables":
				line = "SHOW TABLES;"
			case ".vertical":
				q.Format = map[bool]string{true: "table", false: "vertical"}[q.Format == "vertical"]
				continue
			}
		}
		all, rest := sql.Split(text+line+"\n", 1)
		for _, s := range all {
			if err := q.answerOne(ctx, db, s, out); err != nil {
				fmt.Fprintln(problems, err)
			}
		}
		text = rest.Text
	}
}

// answerOne can be interrupted without ending the program.
func (q *Query) answerOne(ctx context.Context, db *sql.DB, s sql.Statement, out io.Writer) error {
	ctx, stop := signal.NotifyContext(context.WithoutCancel(ctx), os.Interrupt)
	defer stop()
	_, err := q.write(ctx, db, s, out)
	return err
}
