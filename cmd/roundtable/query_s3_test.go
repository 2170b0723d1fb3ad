package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"roundtable/activities/commits"
	"roundtable/activities/laketest"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/bucket"
	"roundtable/analysis/lake/store/storetest"
)

// TestQueryOfS3: a compacted and a running campaign on S3, through the cache.
func TestQueryOfS3(t *testing.T) {
	location, ctx := storetest.At(storetest.S3Server(t), "lake"), context.Background()
	s, err := store.Open(location, bucket.Open)
	noError(t, err)
	for _, campaign := range []string{"done", "running"} {
		noError(t, laketest.Play(ctx, s, fmt.Sprintf(queried, campaign, 2), 0))
	}
	if _, err := commits.CompactAll(ctx, s, "done", true); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	ask := func() (string, int) {
		out, err := runCommand(t, "query", "--lake", location, "--cache", cache, "--format", "csv", counted)
		noError(t, err)
		files := 0
		_ = filepath.WalkDir(cache, func(_ string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				files++
			}
			return err
		})
		return out, files
	}
	first, files := ask()
	lines := strings.Split(strings.TrimSpace(first), "\n")
	if expected := want(t, s); files == 0 || !slices.Equal(lines[len(lines)-4:], expected) || !strings.HasPrefix(first, "fetching ") {
		t.Errorf("%d files in the cache, answer %q, want %q", files, lines, expected)
	}
	again, still := ask()
	if still != files || strings.Contains(again, "fetching") || !strings.HasSuffix(first, again) {
		t.Errorf("again, with %d and then %d files: %q", files, still, again)
	}
	noError(t, laketest.Play(ctx, s, fmt.Sprintf(queried, "running", 3), 0))
	if later, more := ask(); more <= files || !strings.Contains(later, "running,majority,3,") {
		t.Errorf("later, with %d files: %q", more, later)
	}
	dir := t.TempDir()
	if _, err := runCommand(t, "export", "done", "--lake", location, "-o", dir, "--format", "csv"); err != nil {
		t.Error(err)
	}
}

// TestReadOnlyBucket: whoever may only list and get objects reads a campaign with every
// command that reads.
func TestReadOnlyBucket(t *testing.T) {
	server := storetest.S3Server(t)
	s, err := store.Open(storetest.At(server, "lake"), bucket.Open)
	noError(t, err)
	noError(t, laketest.Play(t.Context(), s, fmt.Sprintf(queried, "done", 2), 0))
	at, err := url.Parse(server)
	noError(t, err)
	proxy := httputil.NewSingleHostReverseProxy(at)
	refused := atomic.Int64{}
	readable := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			proxy.ServeHTTP(w, r)
			return
		}
		refused.Add(1)
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte("<Error><Code>AccessDenied</Code><Message>no</Message></Error>"))
	}))
	defer readable.Close()
	location, dir := storetest.At(readable.URL, "lake"), t.TempDir()
	readEverything(t, location, dir)
	if n := refused.Load(); n > 0 {
		t.Errorf("%d requests to write", n)
	}
	if _, err := runCommand(t, "features", "done", "--lake", location); err == nil || !strings.Contains(err.Error(), "s3:PutObject") {
		t.Errorf("what writes: %v", err)
	}
}

// TestReadOnlyFolder: the same of a folder that may only be read, and nothing in it changes.
func TestReadOnlyFolder(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	folder := filepath.Join(dir, "lake")
	s, err := store.NewLocal(folder)
	noError(t, err)
	noError(t, laketest.Play(t.Context(), s, fmt.Sprintf(queried, "done", 2), 0))
	rights := func(write bool) (found []string) {
		noError(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			noError(t, err)
			info, err := d.Info()
			noError(t, err)
			found = append(found, fmt.Sprint(path, info.Size(), info.ModTime()))
			mode := info.Mode() &^ 0o222
			if write {
				mode |= 0o200
			}
			return os.Chmod(path, mode)
		}))
		return found
	}
	before := rights(false)
	readEverything(t, folder, dir)
	if after := rights(true); !slices.Equal(before, after) { // which root could have done
		t.Errorf("the lake was\n%s\nand is\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

// readEverything runs every command that only reads on the campaign done.
func readEverything(t *testing.T, location, dir string) {
	t.Helper()
	var one []struct{ ID string }
	out, err := runCommand(t, "query", "SELECT min(collaboration_id) AS id FROM collaborations", "--json", "--lake", location, "--cache", filepath.Join(dir, "cache"))
	noError(t, err)
	noError(t, json.Unmarshal([]byte(out[strings.Index(out, "["):]), &one))
	for _, args := range [][]string{
		{"list", "campaigns"}, {"status", "done"}, {"cost", "done"}, {"analyze", "done"}, {"verify", "done"}, {"show", one[0].ID, "--prompts"},
		{"query", "FROM prompts('done/')", "--cache", filepath.Join(dir, "cache")}, {"tidy", "done"}, {"delete", "done"},
		{"export", "done", "-o", filepath.Join(dir, "tables")}, {"report", "done", "-o", filepath.Join(dir, "report.html")},
		{"retally", "done"}, {"attest", "done", "-o", filepath.Join(dir, "done.json")},
	} {
		if out, err := runCommand(t, append(args, "--lake", location, "--state", filepath.Join(dir, "state"))...); err != nil || out == "" {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
}
