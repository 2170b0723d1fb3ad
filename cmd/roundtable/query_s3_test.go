//go:build cgo

package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/activities/laketest"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

// TestQueryOfS3: a compacted and a running campaign on S3, through the cache.
func TestQueryOfS3(t *testing.T) {
	location, ctx := storetest.At(storetest.S3Server(t), "lake"), context.Background()
	s, err := store.Open(location)
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
