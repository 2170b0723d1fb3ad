package sql_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/sql"
)

// TestRefused runs what a statement pasted from somewhere might hold. LAKE is a
// file of the lake, OUT a folder next to it, OTHER a file in it.
func TestRefused(t *testing.T) {
	folder, out := t.TempDir(), t.TempDir()
	source, s := played(t, folder)
	own := filepath.Join(folder, dataset(t, s, "one").Files[record.Turns][0].Key)
	other := filepath.Join(out, "other.csv")
	if err := os.WriteFile(other, []byte("a\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	db := open(t, source)
	lakeBefore, outBefore := contents(t, folder), contents(t, out)
	names := strings.NewReplacer("LAKE", own, "OUT", out, "OTHER", other)
	for _, text := range []string{
		"SELECT * FROM read_csv('/etc/passwd')", "SELECT * FROM 'OTHER'", "FROM read_text('OTHER')", "FROM read_blob('/etc/hostname')",
		"FROM glob('/etc/*')", "FROM parquet_metadata('OTHER')", "FROM sniff_csv('OTHER')", "FROM read_parquet('OUT/*.parquet')", "FROM read_json('OTHER')",
		"CREATE MACRO f(a ') AS 1", "CREATE TABLE t(a /*) AS SELECT 1",
		"COPY turns TO 'OUT/new.csv'", "COPY (SELECT 1) TO 'OUT/new.parquet' (FORMAT parquet)", "COPY (SELECT 1 AS a) TO 'LAKE'",
		"COPY (SELECT 1 AS a) TO 'LAKE' (FORMAT parquet, USE_TMP_FILE false)",
		"EXPLAIN ANALYZE COPY (SELECT 1 AS a) TO 'LAKE' (FORMAT parquet, USE_TMP_FILE false)",
		"EXPLAIN (ANALYZE) COPY (SELECT 1 AS a) TO 'LAKE' (FORMAT parquet, USE_TMP_FILE false)",
		"/* EXPLAIN SELECT 1 */ EXPLAIN ANALYZE COPY (SELECT 1 AS a) TO 'LAKE' (FORMAT parquet, USE_TMP_FILE false)",
		"COPY (SELECT 1 AS a) TO 'LAKE' (FORMAT csv, USE_TMP_FILE false); SELECT 1",
		"SELECT 1; COPY (SELECT 1 AS a) TO 'LAKE' (FORMAT csv, USE_TMP_FILE false)",
		"SELECT * FROM query('COPY (SELECT 1) TO ''LAKE'' (FORMAT csv, USE_TMP_FILE false)')",
		"SELECT 1) TO 'LAKE' (FORMAT csv, USE_TMP_FILE false) --",
		"PREPARE x AS COPY (SELECT 1 AS a) TO 'LAKE'", "EXECUTE x", "EXPORT DATABASE 'OUT/all'", "IMPORT DATABASE 'OUT'",
		"INSTALL httpfs", "LOAD httpfs", "LOAD 'OTHER'", "INSTALL spatial FROM community", "FORCE INSTALL 'OTHER'",
		"ATTACH 'OUT/new.db'", "ATTACH ':memory:' AS m", "USE memory", "DETACH memory",
		"FROM 'https://example.com/x.parquet'", "FROM read_csv('http://127.0.0.1:1/x.csv')", "FROM 's3://bucket/x.parquet'",
		"SET enable_external_access = true", "SET lock_configuration = false", "RESET allowed_paths", "SET allowed_paths = ['OTHER']", "SET memory_limit = '1GB'", "SET VARIABLE a = 1",
		"PRAGMA enable_profiling", "PRAGMA profiling_output = 'OUT/p'", "CALL enable_logging(storage = 'file', storage_path = 'OUT/log')",
		"CREATE PERSISTENT SECRET x (TYPE http, BEARER_TOKEN 'x')", "SELECT getenv('HOME')",
		"INSERT INTO turns SELECT * FROM turns", "DELETE FROM turns", "UPDATE turns SET text = ''", "TRUNCATE turns", "DROP TABLE turns", "ALTER VIEW turns RENAME TO t",
		"FROM enable_logging(storage = 'file', storage_path = 'OUT/log')", "FROM \"Enable_Logging\" /* why */ ()", "FROM system.main.enable_profiling()",
		"CREATE MACRO m() AS TABLE FROM enable_logging(level = 'trace')", "FROM query('FROM enable_' || 'logging()')", "FROM arrow_scan(1, 2, 3)",
		"SELECT write_log('x')", "FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
		"BEGIN", "CHECKPOINT", "VACUUM", "SELECT 'a\x00'; DROP VIEW turns", "SELECT $1", "",
	} {
		r, err := db.Run(context.Background(), sql.Statement{Text: names.Replace(text)})
		if err == nil {
			_, err = sql.WriteCSV(&bytes.Buffer{}, r)
		}
		if err == nil {
			t.Errorf("%s was not refused", text)
		}
		if _, err := db.Stream(context.Background(), sql.Statement{Text: names.Replace(text)}); err == nil {
			t.Errorf("%s was not refused by Stream", text)
		}
		if _, err := db.Parquet(context.Background(), sql.Statement{Text: names.Replace(text)}, &bytes.Buffer{}); err == nil {
			t.Errorf("%s was not refused by Parquet", text)
		}
	}
	// A DuckDB in a process reads statements from its input: no line of a text is one.
	for _, text := range []string{"SELECT $$\n.print x\nCOPY (SELECT 1 AS a) TO 'LAKE'\n.print y\n$$ AS a", "SELECT '\n.print x\n.shell touch OUT/shell\n' AS a"} {
		query(t, db, names.Replace(text))
	}
	if !maps.Equal(lakeBefore, contents(t, folder)) || !maps.Equal(outBefore, contents(t, out)) {
		t.Error("a statement has written to a file")
	}
}

func TestAccepted(t *testing.T) {
	source, _ := played(t, t.TempDir())
	db := open(t, source)
	for _, text := range []string{
		"CREATE VIEW mine AS SELECT * FROM turns WHERE kind = 'ask'", "FROM mine LIMIT 1", "DROP VIEW mine",
		"CREATE TEMP TABLE kept AS SELECT count(*) AS n FROM ballots", "FROM kept", "CREATE MACRO double(x) AS 2 * x", "SELECT double(2)",
		"WITH a AS (SELECT 1) FROM a", "VALUES (1)", "DESCRIBE turns", "SHOW TABLES", "SUMMARIZE rounds", "EXPLAIN SELECT * FROM turns",
		"-- why\nEXPLAIN ANALYZE SELECT count(*) FROM turns", "PIVOT collaborations ON rule IN ('majority', 'unanimous') USING avg(score)",
		"SELECT settings_json->>'$.rule.name' FROM collaborations", "SELECT date_trunc('hour', started_at) FROM collaborations",
		"SELECT 'enable_logging()' -- query('x')", "WITH checkpoint AS (SELECT 1) FROM checkpoint", "FROM range(3)", "FROM query_table(['turns'])",
	} {
		query(t, db, text)
	}
}

// TestErrorsSayWhere counts lines from where the statement begins, and nothing steers the terminal.
func TestErrorsSayWhere(t *testing.T) {
	source, _ := played(t, t.TempDir())
	db := open(t, source)
	for _, c := range []struct{ text, want string }{
		{"SELECT *\nFROM turnz", "LINE 8: FROM turnz"},
		{"SELEC 1", "LINE 7: SELEC 1"},
		{"SELECT scor FROM collaborations", `"score"`},
		{"PIVOT collaborations ON rule USING count(*)", "IN (…)"},
		{"COPY turns TO '/x'", "the lake is only read"},
		{"SELECT (chr(27) || '[2J')::INTEGER", "Could not convert string '␛[2J'"},
	} {
		_, err := db.Run(context.Background(), sql.Statement{Text: c.text, Line: 7})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestDamage names the file and what to do.
func TestDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes under the race detector, which has nothing to see in it")
	}
	for name, damage := range map[string]func(data []byte) []byte{
		"missing":  func([]byte) []byte { return nil },
		"cut":      func(data []byte) []byte { return data[:len(data)/2] },
		"footer":   func(data []byte) []byte { return append(data[:len(data)-100:len(data)-100], make([]byte, 100)...) },
		"head":     func(data []byte) []byte { return append(bytes.Repeat([]byte{0xa5}, 500), data[500:]...) },
		"nonsense": func(data []byte) []byte { return bytes.Repeat([]byte("x"), len(data)) },
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			source, s := played(t, folder)
			key := dataset(t, s, "one").Files[record.Turns][0].Key
			path := filepath.Join(folder, key)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if data = damage(data); data == nil {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path, data, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open(context.Background(), source)
			if err == nil {
				defer db.Close()
				_, err = db.Run(context.Background(), sql.Statement{Text: "SELECT count(DISTINCT COLUMNS(*)) FROM turns"})
			}
			if err == nil || !strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "roundtable verify one") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestLinksLeadNowhere: a stranger's lake shows no file from elsewhere as its own.
func TestLinksLeadNowhere(t *testing.T) {
	folder, outside := t.TempDir(), filepath.Join(t.TempDir(), "other.parquet")
	source, s := played(t, folder)
	own := filepath.Join(folder, dataset(t, s, "one").Files[record.Turns][0].Key)
	if err := errors.Join(os.Rename(own, outside), os.Symlink(outside, own)); err != nil {
		t.Fatal(err)
	}
	if _, err := sql.Open(context.Background(), source); err == nil || !strings.Contains(err.Error(), "escapes") {
		t.Errorf("a link that leads out of the lake is followed: %v", err)
	}
}

// TestDamagedMarker is an error of lake.ReadDataset.
func TestDamagedMarker(t *testing.T) {
	folder := t.TempDir()
	source, s := played(t, folder)
	d := dataset(t, s, "two")
	key := lake.Run{Collaboration: d.Members[0].Collaboration}.MarkerKey("two")
	if err := os.WriteFile(filepath.Join(folder, key), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sql.Open(context.Background(), source); err == nil || !strings.Contains(err.Error(), "roundtable verify two") {
		t.Errorf("error %v", err)
	}
}
