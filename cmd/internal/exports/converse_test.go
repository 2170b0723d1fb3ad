package exports_test

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/peterh/liner"

	"roundtable/activities/laketest"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/exports"
	"roundtable/workflows/catalogue"
)

// TestConversation types what a user may type.
func TestConversation(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "lake")
	s, err := store.NewLocal(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := laketest.Play(t.Context(), s, "{name: a, "+ofCampaign+"}", 0); err != nil {
		t.Fatal(err)
	}
	q := exports.Query{Options: &cli.Options{Plugins: catalogue.Builtin(), Lake: folder}, Format: "jsonl"}
	db, err := q.Open(context.Background(), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
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
	if !strings.HasPrefix(out.String(), "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n--- row 1\nd          x\n           y\nlong_name  NULL\n(1 row)\n--- row 1\nname  ballots\n") || strings.Count(problems.String(), "Parser Error") != 1 || strings.Contains(problems.String(), "nil") {
		t.Errorf("answers %q, problems %q", &out, &problems)
	}
	end := func(string) (string, error) { return "", io.EOF }
	if err := q.Converse(context.Background(), db, &out, &problems, end); err != nil {
		t.Error(err)
	}
}

const ofCampaign = "env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader"
