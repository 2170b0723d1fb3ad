package store_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"roundtable/analysis/lake/store"
)

// within fails a test whose work does not end.
func within(t *testing.T, what string, work func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { work(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s does not end", what)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(path("ten"), []byte("0123456789"), 0o600), syscall.Mkfifo(path("pipe"), 0o600),
		os.Symlink("/dev/zero", path("endless")), os.Symlink("pipe", path("link")), os.Symlink("ten", path("to ten")), os.Mkdir(path("folder"), 0o700)); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	folder := store.RegularFS(root)
	for name, want := range map[string]string{"ten": "", "to ten": "", "pipe": "not a regular file", "link": "not a regular file", "endless": "not a regular file", "folder": "not a regular file", "none": "no such file"} {
		within(t, name, func() {
			_, err := store.ReadFile(path(name), 10)
			if _, isPath := errors.AsType[*fs.PathError](err); want == "" && err != nil || want != "" && (!isPath || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %v", name, err)
			}
			if _, err := fs.ReadFile(folder, name); (err == nil) != (want == "") {
				t.Errorf("%s in a folder: %v", name, err)
			}
		})
	}
	if _, err := store.ReadFile(path("ten"), 9); err == nil || !strings.Contains(err.Error(), "has more than 9 bytes") {
		t.Errorf("too long: %v", err)
	}
	if _, err := folder.Open("../" + filepath.Base(dir) + "/ten"); err == nil {
		t.Error("a name leads out of the folder")
	}
	names, err := fs.Glob(folder, "t*")
	if err != nil || !slices.Equal(names, []string{"ten", "to ten"}) {
		t.Errorf("found %q: %v", names, err)
	}
}

func TestFS(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "a"), []byte("1"), 0o600), os.MkdirAll(filepath.Join(dir, "b", "c"), 0o700), os.WriteFile(filepath.Join(dir, "b", "c", "d"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := fstest.TestFS(store.RegularFS(root), "a", "b/c/d"); err != nil {
		t.Error(err)
	}
}
