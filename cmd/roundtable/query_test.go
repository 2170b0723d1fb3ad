package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/activities/laketest"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/exports"
)

const queried = `
name: %s
replicates: %d
env: {name: exchange, agents: 2}
protocol: {name: roundtable, rounds: 2}
model: scripted/trader
grid: {rule: [majority, unanimous]}
`

// askedLake has a compacted campaign whose cells were run again in part, one
// that is not compacted, and one of which nothing has ended.
func askedLake(t *testing.T) (string, store.Store) {
	t.Helper()
	folder, ctx := filepath.Join(t.TempDir(), "lake"), context.Background()
	s, err := store.NewLocal(folder)
	noError(t, err)
	must := func(err error) {
		t.Helper()
		noError(t, err)
	}
	must(laketest.Play(ctx, s, fmt.Sprintf(queried, "done", 3), 0))
	_, err = commits.CompactAll(ctx, s, "done", true)
	must(err)
	must(laketest.Play(ctx, s, fmt.Sprintf(queried, "done", 1), 1))
	must(laketest.Play(ctx, s, fmt.Sprintf(queried, "running", 2), 0))
	must(s.PutIfAbsent(ctx, "answers/campaign=begun/x", []byte("x")))
	return folder, s
}

// want is the mean score and the invalid turns by campaign and rule, from rows
// that the lake's own reader gives.
func want(t *testing.T, s store.Store) []string {
	t.Helper()
	var lines []string
	for _, campaign := range []string{"done", "running"} {
		d, err := lake.ReadDataset(context.Background(), s, campaign)
		noError(t, err)
		cells, invalid := map[string]int{}, map[string]int{}
		for rows, err := range lake.Collaborations(context.Background(), s, d) {
			noError(t, err)
			rule := rows.Collaborations[0].Rule
			cells[rule]++
			for _, turn := range rows.Turns {
				if turn.Status == "invalid" {
					invalid[rule]++
				}
			}
		}
		for _, rule := range []string{"majority", "unanimous"} {
			lines = append(lines, fmt.Sprintf("%s,%s,%d,%d", campaign, rule, cells[rule], invalid[rule]))
		}
	}
	return lines
}

const counted = `SELECT c.campaign_id, rule, count(DISTINCT c.collaboration_id) AS cells, count(*) FILTER (t.status = 'invalid') AS invalid
FROM collaborations c JOIN turns t USING (campaign_id, collaboration_id, generation) GROUP BY ALL ORDER BY ALL`

func TestQueryCountsWhatReadersSee(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	folder, s := askedLake(t)
	file := filepath.Join(t.TempDir(), "q.sql")
	if err := os.WriteFile(file, []byte("-- counts\nCREATE VIEW c AS "+counted+";\nFROM c;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"argument": {counted}, "file": {"--file", file}} {
		out, err := runCommand(t, append([]string{"query", "--lake", folder, "--format", "csv"}, args...)...)
		if err != nil {
			t.Fatal(name, err)
		}
		got := strings.Split(strings.TrimSpace(out), "\n")
		if expected := want(t, s); got[0] != "campaign_id,rule,cells,invalid" || !slices.Equal(got[1:], expected) || !strings.HasPrefix(got[1], "done,majority,3,") {
			t.Errorf("%s: %q, want %q", name, got, expected)
		}
	}
	out, err := runCommand(t, "query", "--lake", folder, "--campaign", "running", "SELECT DISTINCT campaign_id AS c FROM calls", "--json")
	if err != nil || out != "[\n{\"c\":\"running\"}\n]\n" {
		t.Errorf("%q, error %v", out, err)
	}
	out, err = runCommand(t, "query", "--lake", folder, "--campaign", "begun", "SELECT count(*) AS n FROM turns")
	if err != nil || !strings.Contains(out, "\n0\n(1 row)") {
		t.Errorf("of a campaign of which nothing has ended: %q, error %v", out, err)
	}
}

func TestQueryReadsStandardInput(t *testing.T) {
	folder, _ := askedLake(t)
	root, b := newRoot(), &bytes.Buffer{}
	root.SetIn(strings.NewReader("SELECT 1 AS one;\nSELECT 'x' AS two"))
	root.SetOut(b)
	root.SetArgs([]string{"query", "--lake", folder})
	noError(t, root.ExecuteContext(context.Background()))
	if want := "one\n-----\n  1\n(1 row)\ntwo\n-----\nx\n(1 row)\n"; b.String() != want {
		t.Errorf("%q, want %q", b, want)
	}
}

// TestQueryTable is one that cannot steer a terminal and stays readable.
func TestQueryTable(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	folder, _ := askedLake(t)
	out, err := runCommand(t, "query", "--lake", folder, "SELECT range AS n, 'a\x1b[2J'||chr(10)||'b' AS x, NULL AS nothing, repeat('é', 200) AS long FROM range(1500)")
	noError(t, err)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 1003 || strings.Contains(out, "\x1b") || strings.Count(lines[2], "é") != 99 {
		t.Errorf("%d lines; the third: %q", len(lines), lines[2])
	}
	contains(t, strings.Join(strings.Fields(lines[0]), " "), "n x nothing long")
	contains(t, strings.Join(strings.Fields(lines[2]), " "), "0 a␛[2J b NULL é", "é…")
	contains(t, lines[1002], "the first 1000 rows", "csv")
	if out, err = runCommand(t, "query", "--lake", folder, "EXPLAIN SELECT count(*) FROM turns"); err != nil || !strings.Contains(out, "READ_PARQUET") {
		t.Errorf("%q, error %v", out, err)
	}
	if out, err = runCommand(t, "query", "--lake", folder, "CREATE VIEW mine AS SELECT 1"); err != nil || out != "" {
		t.Errorf("%q, error %v", out, err)
	}
}

func TestQueryRefuses(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	folder, _ := askedLake(t)
	out := filepath.Join(t.TempDir(), "out")
	for _, x := range []struct {
		args []string
		says string
	}{
		{[]string{"SELEC 1"}, "LINE 1: SELEC 1"},
		{[]string{"SELECT scor FROM collaborations"}, "score"},
		{[]string{"COPY turns TO '" + out + "'"}, "only read"},
		{[]string{"FROM read_csv('/etc/passwd')"}, "only read"},
		{[]string{"SELECT 1", "SELECT 2"}, "2 are given"},
		{[]string{"SELECT 1", "--file", "x"}, "give one"},
		{[]string{"--file", out}, "no such file"},
		{[]string{"SELECT 1", "--format", "xls"}, "jsonl"},
		{[]string{"SELECT 1", "--json", "--format", "csv"}, "both"},
		{[]string{"SELECT 1", "-o", out + ".xls"}, "does not say a format"},
		{[]string{"SELECT 1", "-o", filepath.Join(out, "x.csv")}, "there is no folder"},
		{[]string{"SELECT 1", "--format", "csv", "-o", filepath.Dir(out)}, "is not a file"},
		{[]string{"SELECT 1; SELECT 2", "--json"}, "line 1 has rows and is not the last"},
		{[]string{"SELECT 1", "--campaign", "nobody"}, "it has begun, done, running"},
		{[]string{" -- nothing\n;"}, "no statement"},
		{[]string{"SELECT 1", "--lake", out}, "there is no lake"},
	} {
		_, err := runCommand(t, append([]string{"query", "--lake", folder}, x.args...)...)
		fails(t, err, cli.ExitUsage, x.says)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("something was written")
	}
	_, err := runCommand(t, "query", "--lake", folder, "SELECT error('at run time') FROM turns")
	if err == nil || !strings.Contains(err.Error(), "at run time") {
		t.Errorf("error %v", err)
	}
	fails(t, exports.WithExitCode(context.Background(), cli.FailedError(err)), cli.ExitFailed)
}

func TestQueryInterrupted(t *testing.T) {
	folder, _ := askedLake(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	root := newRoot()
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	root.SetArgs([]string{"query", "--lake", folder, "SELECT 1"})
	fails(t, root.ExecuteContext(ctx), cli.ExitInterrupted, "interrupted")
}

// TestGoldenLake: a lake of the first schema version answers with the counts
// that were written down when it was made.
func TestGoldenLake(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../analysis/lake/testdata/schema-1.json")
	noError(t, err)
	var golden struct{ Rows map[string]int }
	noError(t, json.Unmarshal(data, &golden))
	folder := filepath.Join(t.TempDir(), "lake")
	noError(t, os.CopyFS(folder, os.DirFS("../../analysis/lake/testdata/schema-1")))
	for _, table := range []string{record.Rounds, record.Turns, record.Ballots, record.Calls} {
		out, err := runCommand(t, "query", "--lake", folder, "--format", "jsonl", "SELECT count(*) AS n FROM "+table)
		if want := fmt.Sprintf("{\"n\":%d}\n", golden.Rows[table]); err != nil || out != want {
			t.Errorf("%s: %q, want %q, error %v", table, out, want, err)
		}
	}
}
