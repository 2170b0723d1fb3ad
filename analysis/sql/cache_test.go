package sql_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/sql"
)

// counting is a store that says how often a table's file was read.
type counting struct {
	store.Store
	gets atomic.Int64
}

func (c *counting) Get(ctx context.Context, key string) ([]byte, error) {
	if strings.HasSuffix(key, ".parquet") {
		c.gets.Add(1)
	}
	return c.Store.Get(ctx, key)
}

// far is a lake that is not in a local directory.
func far(t *testing.T) (sql.Source, *counting) {
	_, s := played(t, t.TempDir())
	c := &counting{Store: s}
	return sql.Source{Store: c, Location: "s3://bucket/lake", Cache: t.TempDir()}, c
}

func copies(t *testing.T, folder string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestCache: each file is read once, and again if its copy is gone or cut.
func TestCache(t *testing.T) {
	source, c := far(t)
	compare[record.Turn](t, open(t, source), c.Store)
	first := c.gets.Load()
	if n := len(copies(t, source.Cache)); first == 0 || int(first) != n {
		t.Fatalf("%d files were read, %d are in the cache", first, n)
	}
	compare[record.Ballot](t, open(t, source), c.Store)
	if c.gets.Load() != first {
		t.Errorf("%d files were read again", c.gets.Load()-first)
	}
	paths := copies(t, source.Cache)
	if err := os.Remove(paths[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(paths[1], 10); err != nil {
		t.Fatal(err)
	}
	compare[record.Call](t, open(t, source), c.Store)
	if got := c.gets.Load() - first; got != 2 {
		t.Errorf("%d files were read again, want 2", got)
	}
}

// TestDamagedCopy is told, removed and fetched again.
func TestDamagedCopy(t *testing.T) {
	source, c := far(t)
	open(t, source)
	for _, path := range copies(t, source.Cache) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, make([]byte, info.Size()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := sql.Statement{Text: "SELECT count(DISTINCT COLUMNS(*)) FROM turns"}
	db, err := sql.Open(context.Background(), source)
	if err == nil {
		defer db.Close()
		_, err = db.Run(context.Background(), all)
	}
	if err == nil || !strings.Contains(err.Error(), "a copy in the cache was damaged and is removed; ask again") {
		t.Errorf("error %v", err)
	}
	compare[record.Turn](t, open(t, source), c.Store)
}

// TestDamagedFarAway: bytes that the lake did not promise get no copy.
func TestDamagedFarAway(t *testing.T) {
	source, c := far(t)
	key := dataset(t, c.Store, "two").Files[record.Rounds][0].Key
	if err := c.Replace(context.Background(), key, []byte("torn"), ""); err != nil {
		t.Fatal(err)
	}
	_, err := sql.Open(context.Background(), source)
	if err == nil || !strings.Contains(err.Error(), key) || !strings.Contains(err.Error(), "roundtable verify two") {
		t.Errorf("error %v", err)
	}
}

// TestCacheIsBounded: copies that nobody used for a day make room, those in use stay.
func TestCacheIsBounded(t *testing.T) {
	source, _ := far(t)
	source.CacheSize = 1
	open(t, source)
	before := copies(t, source.Cache)
	old := time.Now().Add(-48 * time.Hour)
	for _, path := range before {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	source.Campaigns = []string{"two"}
	db := open(t, source)
	after := copies(t, source.Cache)
	if len(after) == 0 || len(after) >= len(before) {
		t.Errorf("%d copies before, %d after", len(before), len(after))
	}
	if got := query(t, db, "SELECT count(DISTINCT campaign_id) AS n FROM turns"); got[0] != `{"n":1}` {
		t.Errorf("%s", got)
	}
}
