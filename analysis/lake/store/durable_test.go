package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What is written survives a power failure: a file is synced before it has its name, and
// each directory that has a new entry after that. Where that fails, so does the PUT.
func TestWritesAreSynced(t *testing.T) {
	folder := t.TempDir()
	l, err := NewLocal(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var synced []string // "file", or a directory's path below the lake
	var failure error
	l.dirs.sync = func(f *os.File) error {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		name := "file"
		for _, dir := range []string{".", "a", "a/b"} {
			if there, err := os.Stat(filepath.Join(folder, dir)); err == nil && os.SameFile(info, there) {
				name = dir
			}
		}
		synced = append(synced, name)
		return errors.Join(failure, f.Sync())
	}
	ctx := t.Context()
	for _, x := range []struct {
		what string
		do   func() error
		want []string
	}{
		{"a new object", func() error { return l.PutIfAbsent(ctx, "a/b/c", []byte("1")) }, []string{".", "a", "file", "a/b"}},
		{"one beside it", func() error { return l.PutIfAbsent(ctx, "a/b/d", []byte("2")) }, []string{"file", "a/b"}},
		{"another content", func() error { return l.Replace(ctx, "a/b/c", []byte("3"), "") }, []string{"file", "a/b"}},
		{"one that is there", func() error { _ = l.PutIfAbsent(ctx, "a/b/c", []byte("4")); return nil }, []string{"file", "a/b"}},
	} {
		synced = nil
		if err := x.do(); err != nil || !slices.Equal(synced, x.want) {
			t.Errorf("%s: synced are %q, want %q, error %v", x.what, synced, x.want, err)
		}
	}
	if left, err := os.ReadDir(filepath.Join(folder, "a/b")); err != nil || len(left) != 2 {
		t.Errorf("beside c and d there are %v, %v", left, err)
	}
	failure = errors.New("the disk is gone")
	if err := l.PutIfAbsent(ctx, "a/b/e", []byte("5")); !errors.Is(err, failure) {
		t.Errorf("of a file that cannot be synced: %v", err)
	}
	if _, err := os.Stat(filepath.Join(folder, "a/b/e")); err == nil {
		t.Error("it has its name all the same")
	}
}

// A disk that cannot sync is said: stores sync by syncFile, which passes over no other error
// than that directories of a network's file system cannot be synced.
func TestSyncFile(t *testing.T) {
	l, err := NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.dirs.sync(f); err != nil {
		t.Error(err)
	}
	_ = f.Close()
	if err := l.dirs.sync(f); !errors.Is(err, os.ErrClosed) {
		t.Errorf("of a file that is closed: %v", err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if err := l.dirs.sync(w); err != nil {
		t.Errorf("of what cannot be synced: %v", err)
	}
}
