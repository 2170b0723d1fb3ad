package campaign

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"roundtable/analysis/lake/store"
)

// A plan's data files are read from the lake when their folder has gone; private ones are not stored.
func TestRecordedData(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir()
	files := map[string]string{"q.csv": "id,question\n", "test/a.jsonl": "{}", "test/same.jsonl": "{}"}
	p := Plan{Data: dir, Files: map[string]string{}}
	for name, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		p.Files[name] = sumOf([]byte(text))
	}
	open := func(path string) (fs.FS, error) { _, err := os.Stat(path); return os.DirFS(path), err }
	private := p
	private.PrivateData = true
	if _, err := RecordData(t.Context(), s, private, open); err != nil {
		t.Fatal(err)
	}
	if _, whole, err := OpenRecordedData(t.Context(), s, p); whole || err != nil {
		t.Fatalf("private data is in the lake: %v", err)
	}
	if note, err := RecordData(t.Context(), s, p, open); note != "" || err != nil {
		t.Fatal(note, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := RecordData(t.Context(), s, p, open); err != nil {
		t.Errorf("recorded files are looked for again: %v", err)
	}
	recorded, whole, err := OpenRecordedData(t.Context(), s, p)
	if err != nil || !whole {
		t.Fatal(whole, err)
	}
	for name, text := range files {
		if got, err := fs.ReadFile(recorded, name); string(got) != text || err != nil {
			t.Errorf("%s is %q: %v", name, got, err)
		}
	}
	if found, err := fs.Glob(recorded, "test/*.jsonl"); err != nil || !slices.Equal(found, []string{"test/a.jsonl", "test/same.jsonl"}) {
		t.Errorf("the folder has %v: %v", found, err)
	}
	if err := s.Replace(t.Context(), dataKey(p.Files["q.csv"]), []byte("other"), ""); err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenRecordedData(t.Context(), s, p); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("a changed file: %v", err)
	}
}
