package sql_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/sql"
)

// TestFunctions reads rows that are computed: by argument, as a view, and in a view of one's own.
func TestFunctions(t *testing.T) {
	source, _ := played(t, t.TempDir())
	asked := map[string]int{}
	source.Functions = []sql.Function{{
		Name: "greet", Table: "greetings",
		Columns: []record.Column{{Name: "text", Type: "string"}, {Name: "n", Type: "int32"}, {Name: "x_usd", Type: "double"}, {Name: "at", Type: "timestamp (µs, UTC)"}},
		Open: func(argument string) func() ([]any, error) {
			if argument != "" {
				asked[argument]++
			}
			rows := [][]any{{"hello " + argument, int32(len(argument)), 0.3, time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}, {"it's\n“;”", nil, nil, nil}}
			return func() ([]any, error) {
				if argument == "broken" {
					return nil, errors.New("greet cannot read this")
				}
				if len(rows) == 0 || argument == "" {
					return nil, io.EOF
				}
				row := rows[0]
				rows = rows[1:]
				return row, nil
			}
		},
	}}
	db := open(t, source)
	first := `{"text":"hello it's [1]","n":8,"x_usd":0.3,"at":"2026-01-02T03:04:05Z"}`
	for text, want := range map[string][]string{
		"FROM greet('it''s [1]') ORDER BY n NULLS LAST":           {first, `{"text":"it's\n“;”","n":null,"x_usd":null,"at":null}`},
		"SELECT text FROM greetings WHERE n > 0 ORDER BY text":    {`{"text":"hello one"}`, `{"text":"hello two"}`},
		"SELECT count(*) AS c FROM Greet ('x') WHERE text <> ';'": {`{"c":2}`},
		"SELECT typeof(x_usd) AS type FROM greetings LIMIT 1":     {`{"type":"DECIMAL(38,9)"}`},
		"SELECT name FROM (SHOW TABLES) WHERE name LIKE 'greet%'": {`{"name":"greetings"}`},
	} {
		if got := query(t, db, text); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	query(t, db, "CREATE VIEW mine AS FROM greet('mine')")
	if got := query(t, db, "SELECT count(*) AS n FROM mine"); got[0] != `{"n":2}` {
		t.Errorf("a view over a function has %s", got)
	}
	if r, err := db.Run(context.Background(), sql.Statement{Text: "FROM greet('broken')"}); err == nil {
		for _, failed := range r.Rows {
			err = errors.Join(err, failed)
		}
		if err == nil {
			t.Error("the error of a function is lost")
		}
	}
}
