package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/activities/laketest"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/bucket"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/infra/lock"
)

const deletable = `
name: %s
env: {name: exchange, agents: 3}
protocol: {name: roundtable, rounds: 1}
rule: majority
model: scripted/trader
replicates: 3
`

// delete and tidy only say what would go, without --yes; they leave a campaign alone that
// runs, and nothing of one that is deleted.
func TestDelete(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := filepath.Join(dir, ".roundtable")
	deletes(t, filepath.Join(dir, "lake"), state)
	s, err := store.NewLocal(filepath.Join(dir, "lake"))
	noError(t, err)
	noError(t, laketest.Play(t.Context(), s, fmt.Sprintf(deletable, "held"), 0))
	held, err := lock.File(filepath.Join(dir, "lake", filepath.FromSlash(lake.LockKey("held"))), 0)
	noError(t, err)
	for _, args := range [][]string{{"delete", "held"}, {"delete", "held", "--yes"}, {"tidy", "held", "--yes"}} {
		if _, err := runCommand(t, append(args, "--lake", filepath.Join(dir, "lake"), "--state", state)...); err == nil || !strings.Contains(err.Error(), "nothing is deleted") {
			t.Errorf("%v of a campaign in use: %v", args, err)
		}
	}
	noError(t, held.Close())
	noError(t, os.MkdirAll(filepath.Join(state, "campaigns", "held"), 0o700))
	if out, err := runCommand(t, "delete", "held", "--yes", "--lake", filepath.Join(dir, "lake"), "--state", state); err != nil {
		t.Error(out, err)
	}
	noError(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.Contains(path, "gone") || strings.Contains(path, "held") {
			t.Errorf("%s is left", path)
		}
		return err
	}))
}

func TestDeleteOnS3(t *testing.T) {
	deletes(t, storetest.At(storetest.S3Server(t), "lake"), t.TempDir())
}

func deletes(t *testing.T, location, state string) {
	t.Helper()
	s, err := store.Open(location, bucket.Open)
	noError(t, err)
	for _, name := range []string{"gone", "stays"} {
		noError(t, laketest.Play(t.Context(), s, fmt.Sprintf(deletable, name), 0))
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := runCommand(t, append(args, "--lake", location, "--state", state)...)
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return out
	}
	objects := func() int {
		t.Helper()
		all, err := s.List(t.Context(), "")
		noError(t, err)
		return len(all)
	}
	before, whole := objects(), run("verify", "stays")
	contains(t, run("list", "campaigns"), "gone", "stays", " kB")
	contains(t, run("tidy", "gone"), "nothing to tidy")
	contains(t, run("delete", "gone"), "would be deleted", "answers, which were paid for", "Nothing was deleted", "delete gone --yes")
	if n := objects(); n != before {
		t.Errorf("%d objects of %d are left without --yes", n, before)
	}
	contains(t, run("delete", "gone", "--yes"), "deleted from")
	if out, err := runCommand(t, "delete", "gone", "--yes", "--lake", location, "--state", state); err == nil || !strings.Contains(err.Error(), `no campaign "gone"`) {
		t.Errorf("again: %v\n%s", err, out)
	}
	if now := run("verify", "stays"); now != whole {
		t.Errorf("the other campaign was\n%s\nand is\n%s", whole, now)
	}
	if listed := run("list", "campaigns"); strings.Contains(listed, "gone") {
		t.Error(listed)
	}
}
