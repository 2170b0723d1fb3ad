package main

import (
	"bytes"
	"context"
	"io"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/exports"
	"roundtable/workflows/catalogue"
	"strings"
	"testing"

	"github.com/peterh/liner"
)

// TestConversation types what a user may type.
func TestConversation(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	folder, _ := askedLake(t)
	q := exports.Query{Options: &cli.Options{Plugins: catalogue.Builtin(), Lake: folder}, Format: "jsonl"}
	db, err := q.Open(context.Background(), io.Discard)
	noError(t, err)
	defer db.Close()
	type typed struct {
		mark, line string
		err        error
	}
	script := []typed{
		{"sql> ", "SELECT 1", nil}, {"...> ", "  AS a; SELECT 2 AS b;", nil}, {"sql> ", "", nil}, {"sql> ", "-- why", nil}, {"sql> ", "SELEC;", nil},
		{"sql> ", "SELECT 'dropped", nil}, {"...> ", "", liner.ErrPromptAborted}, {"sql> ", "CREATE VIEW v AS SELECT 3 AS c;", nil}, {"sql> ", "FROM v;", nil}, {"sql> ", ".vertical", nil}, {"sql> ", "SELECT 'x\ny' AS d, NULL AS long_name;", nil},
		{"sql> ", ".tables", nil}, {"sql> ", "EXIT;", nil},
	}
	var out, problems bytes.Buffer
	read := func(mark string) (string, error) {
		if len(script) == 0 {
			t.Fatal("the conversation goes on after exit")
		}
		next := script[0]
		script = script[1:]
		if mark != next.mark {
			t.Errorf("the prompt before %q is %q", next.line, mark)
		}
		return next.line, next.err
	}
	if err := q.Converse(context.Background(), db, &out, &problems, read); err != nil || len(script) > 0 {
		t.Fatal(err, script)
	}
	if !strings.HasPrefix(out.String(), "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n--- row 1\nd          x\n           y\nlong_name  NULL\n(1 row)\n--- row 1\nname  ballots\n") || strings.Count(problems.String(), "Parser Error") != 1 {
		t.Errorf("answers %q, problems %q", &out, &problems)
	}
	end := func(string) (string, error) { return "", io.EOF }
	if err := q.Converse(context.Background(), db, &out, &problems, end); err != nil {
		t.Error(err)
	}
}
