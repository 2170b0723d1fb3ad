package sql_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"roundtable/activities/commits"
	"roundtable/activities/laketest"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/analysis/sql"
)

const campaign = `
name: %s
replicates: %d
env: {name: exchange, agents: 2}
protocol: {name: roundtable, rounds: 2}
model: scripted/trader
grid: {rule: [majority, unanimous]}
`

// played is a lake with the campaigns one (compacted, then run again, then
// compacted in part and extended) and two (not compacted).
func played(t testing.TB, folder string) (sql.Source, store.Store) {
	t.Helper()
	files, err := playedFiles()
	if err == nil {
		err = os.CopyFS(folder, files)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.NewLocal(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return sql.Source{Store: s, Location: folder}, s
}

// playedFiles are its files, made once.
var playedFiles = sync.OnceValues(func() (fstest.MapFS, error) {
	ctx, s := context.Background(), storetest.NewMemory(map[string]string{})
	for generation, replicates := range []int{3, 2, 4} {
		if err := laketest.Play(ctx, s, fmt.Sprintf(campaign, "one", replicates), generation); err != nil {
			return nil, err
		}
		if generation < 2 {
			if _, err := commits.CompactAll(ctx, s, "one", true); err != nil {
				return nil, err
			}
		}
	}
	if err := laketest.Play(ctx, s, fmt.Sprintf(campaign, "two", 2), 0); err != nil {
		return nil, err
	}
	files := fstest.MapFS{}
	for key, data := range s.Objects {
		files[key] = &fstest.MapFile{Data: []byte(data), Mode: 0o600}
	}
	return files, nil
})

func open(t testing.TB, s sql.Source) *sql.DB {
	t.Helper()
	db, err := sql.Open(context.Background(), s)
	if errors.Is(err, sql.ErrNoDuckDB) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// lines are the rows as JSON.
func lines(t testing.TB, r sql.Result, err error) []string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := sql.WriteJSONL(&b, r); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

func query(t testing.TB, db *sql.DB, text string) []string {
	t.Helper()
	r, err := db.Run(context.Background(), sql.Statement{Text: text})
	return lines(t, r, err)
}

// Money is added exactly: 0.1 + 0.2 is 0.3, whatever the order.
func TestMoneyIsDecimal(t *testing.T) {
	source, _ := played(t, t.TempDir())
	db := open(t, source)
	for _, table := range []string{"calls", "collaborations", "labels"} {
		if got := query(t, db, "SELECT DISTINCT typeof(cost_usd) AS type FROM (FROM "+table+" UNION ALL BY NAME SELECT NULL AS cost_usd)"); !slices.Contains(got, `{"type":"DECIMAL(38,9)"}`) {
			t.Errorf("%s.cost_usd is %q", table, got)
		}
	}
}

// TestViewsAreWhatReadersSee compares every column of every row.
func TestViewsAreWhatReadersSee(t *testing.T) {
	source, s := played(t, filepath.Join(t.TempDir(), "lake [1]* it's"))
	db := open(t, source)
	if d := dataset(t, s, "one"); len(d.Superseded) == 0 || len(d.Uncompacted()) == 0 {
		t.Fatal("the lake has nothing superseded or nothing uncompacted")
	}
	compare[record.Collaboration](t, db, s)
	compare[record.Round](t, db, s)
	compare[record.Turn](t, db, s)
	compare[record.Ballot](t, db, s)
	compare[record.Call](t, db, s)
}

func dataset(t testing.TB, s store.Store, campaign string) lake.Dataset {
	t.Helper()
	d, err := lake.ReadDataset(context.Background(), s, campaign)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func compare[T record.Row](t *testing.T, db *sql.DB, s store.Store) {
	t.Helper()
	var zero T
	var want []string
	for _, campaign := range []string{"one", "two"} {
		want = append(want, lines(t, sql.Table(lake.Scan[T](context.Background(), s, dataset(t, s, campaign))), nil)...)
	}
	got := query(t, db, "SELECT * FROM "+zero.Table())
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 5 || !slices.Equal(want, got) {
		t.Errorf("%s: %d rows by SQL, %d in the lake; the first:\n%s\n%s", zero.Table(), len(got), len(want), got[0], want[0])
	}
}

func TestChosenCampaigns(t *testing.T) {
	source, _ := played(t, t.TempDir())
	source.Campaigns = []string{"two", "two"}
	got := query(t, open(t, source), "SELECT DISTINCT campaign_id FROM turns")
	if !slices.Equal(got, []string{`{"campaign_id":"two"}`}) {
		t.Errorf("%s", got)
	}
	source.Campaigns = []string{"three"}
	if _, err := sql.Open(context.Background(), source); err == nil || !strings.Contains(err.Error(), `"three"; it has one, two`) {
		t.Errorf("error %v", err)
	}
}

// Whatever a folder is called, its lake is read.
func TestNamesOfFolders(t *testing.T) {
	for _, name := range []string{"a b %41 é", "it's [1]*?", "latin\xe9"} {
		folder := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Skipf("%q: %v", name, err) // a file system that takes UTF-8 only
		}
		source, _ := played(t, folder)
		if got := query(t, open(t, source), "SELECT count(*) > 0 AS some FROM turns"); got[0] != `{"some":true}` {
			t.Errorf("%q: %s", name, got)
		}
	}
}

// TestEmptyLake has all views with their columns and types.
func TestEmptyLake(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, sql.Source{Store: s, Location: t.TempDir()})
	tables, err := record.Schema()
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		columns := query(t, db, "SELECT column_name FROM (DESCRIBE "+table.Name+")")
		if len(columns) != len(table.Columns) || columns[0] != `{"column_name":"schema_version"}` {
			t.Errorf("%s has the columns %s", table.Name, columns)
		}
	}
	got := query(t, db, "SELECT count(*) AS n, sum(cost_usd) AS usd, typeof(any_value(started_at)) AS at, typeof(any_value(utilities)) AS list FROM collaborations")
	if want := `{"n":0,"usd":null,"at":"TIMESTAMP WITH TIME ZONE","list":"DOUBLE[]"}`; got[0] != want {
		t.Errorf("%s, want %s", got[0], want)
	}
}

// TestWhileItRuns does not see files without a marker.
func TestWhileItRuns(t *testing.T) {
	folder := t.TempDir()
	source, s := played(t, folder)
	before := query(t, open(t, source), "SELECT count(*) AS n FROM turns")
	f := dataset(t, s, "two").Files[record.Turns][0]
	data, err := s.Get(context.Background(), f.Key)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutIfAbsent(context.Background(), filepath.Dir(f.Key)+"/not-yet.0.parquet", data); err != nil {
		t.Fatal(err)
	}
	if after := query(t, open(t, source), "SELECT count(*) AS n FROM turns"); after[0] != before[0] {
		t.Errorf("%s rows before and %s after a file without a marker", before, after)
	}
}

// contents are the bytes of all files below a folder.
func contents(t testing.TB, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestInterrupted(t *testing.T) {
	source, _ := played(t, t.TempDir())
	db := open(t, source)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := db.Run(ctx, sql.Statement{Text: "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range * b.range % 7 = 3"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if got := query(t, db, "SELECT 1 AS a"); got[0] != `{"a":1}` {
		t.Errorf("after an interrupted statement: %s", got)
	}
}

// TestStream has more rows than a page, in their order.
func TestStream(t *testing.T) {
	source, _ := played(t, t.TempDir())
	db := open(t, source)
	for _, n := range []int{0, 1, 20_000, 45_001} {
		s := sql.Statement{Text: fmt.Sprintf("SELECT %d - range AS a FROM range(%d) -- down", n, n)}
		r, err := db.Stream(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		left := int64(n)
		for row, err := range r.Rows {
			if err != nil || row[0] != left {
				t.Fatalf("%v %v, want %d", row, err, left)
			}
			left--
		}
		if left != 0 {
			t.Errorf("%d of %d rows are missing", left, n)
		}
		var b bytes.Buffer
		if rows, err := db.Parquet(context.Background(), s, &b); err != nil || rows != int64(n) || !bytes.HasSuffix(b.Bytes(), []byte("PAR1")) {
			t.Errorf("%d rows of %d as Parquet, error %v", rows, n, err)
		}
	}
	r, err := db.Stream(context.Background(), sql.Statement{Text: "DESCRIBE turns"})
	if got := lines(t, r, err); len(got) < 20 {
		t.Errorf("DESCRIBE answers %s", got)
	}
	if _, err := db.Parquet(context.Background(), sql.Statement{Text: "EXPLAIN SELECT 1"}, io.Discard); err == nil {
		t.Error("a plan was stored")
	}
}

// One campaign that cannot be read is left out by naming the others, not in silence.
func TestDamagedCampaign(t *testing.T) {
	source, s := played(t, t.TempDir())
	markers, err := s.List(context.Background(), "raw/_commits/campaign=two/")
	if err != nil || len(markers) == 0 {
		t.Fatal(markers, err)
	}
	if err := s.Replace(context.Background(), markers[0].Key, []byte("{"), ""); err != nil {
		t.Fatal(err)
	}
	if _, err := sql.Open(context.Background(), source); err == nil || !strings.Contains(err.Error(), "verify two") || !strings.Contains(err.Error(), "--campaign") {
		t.Errorf("all campaigns: %v", err)
	}
	source.Campaigns = []string{"one"}
	if got := query(t, open(t, source), "SELECT DISTINCT campaign_id FROM collaborations"); len(got) != 1 {
		t.Errorf("the other one: %q", got)
	}
}

// The label is what the file calls a condition now, whatever it was called when it was run;
// conditions and campaigns without labels have none.
func TestLabels(t *testing.T) {
	source, s := played(t, t.TempDir())
	m, err := recorded.ReadManifest(context.Background(), s, "one")
	if err != nil {
		t.Fatal(err)
	}
	ids := query(t, open(t, source), "SELECT DISTINCT condition_id FROM collaborations WHERE campaign_id = 'one' ORDER BY ALL")
	_, id, _ := strings.Cut(strings.Trim(ids[1], `{}"`), `:"`)
	for _, label := range []string{"by most", "it's \"so\""} {
		m.AxisLabels = map[string]map[string]string{id: {"rule": label, "size": "small"}}
		if err := recorded.WriteManifest(context.Background(), s, m); err != nil {
			t.Fatal(err)
		}
		db := open(t, source)
		got := query(t, db, "SELECT label, count(DISTINCT campaign_id || condition_id) AS n FROM collaborations GROUP BY ALL ORDER BY ALL NULLS LAST")
		want := query(t, db, fmt.Sprintf("SELECT '%s' AS label, 1 AS n UNION ALL SELECT NULL, 3 ORDER BY ALL NULLS LAST", strings.ReplaceAll(label+", small", "'", "''")))
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
