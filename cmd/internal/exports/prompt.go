package exports

import (
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
)

const welcome = `The tables are collaborations, rounds, turns, ballots, calls, labels, features and instances, as of now; DESCRIBE turns; shows columns.
What has begun and not ended is in unfinished_collaborations, unfinished_turns and so on.
A statement ends with a semicolon. .tables lists them, .vertical shows a value a line and back. Ctrl-C drops a statement, Ctrl-D or exit leaves.`

// Prompt answers what is typed on a terminal.
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

// Converse reads lines and answers each statement when its semicolon is there.
// An error is told and the conversation goes on.
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
