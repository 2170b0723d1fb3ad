package campaign

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
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
	p := Plan{Paths: Paths{Data: dir}, Files: map[string]string{}}
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
	key := dataKey(p.Files["q.csv"])
	if stored, problems, err := CheckData(t.Context(), s, p); err != nil || stored != 3 || len(problems) != 1 || problems[key] == "" {
		t.Errorf("a changed file: %d are stored, problems %v, %v", stored, problems, err)
	}
	if err := s.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	if stored, problems, err := CheckData(t.Context(), s, p); err != nil || stored != 2 || len(problems) != 1 || problems[key] == "" {
		t.Errorf("a missing file: %d are stored, problems %v, %v", stored, problems, err)
	}
}

// Private data files are found by their contents in a folder that is given, whatever their
// names; files of other contents are not taken, and nothing is stored.
func TestGivenData(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := WithData(s, filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that is not there is taken")
	}
	p := Plan{Files: map[string]string{"q.csv": sumOf([]byte("questions"))}, PrivateData: true}
	for text, want := range map[string]bool{"questions": true, "others": false} {
		dir := t.TempDir()
		if err := errors.Join(os.Mkdir(filepath.Join(dir, "moved"), 0o700), os.WriteFile(filepath.Join(dir, "moved", "renamed.csv"), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		given, err := WithData(s, dir)
		if err != nil {
			t.Fatal(err)
		}
		files, whole, err := OpenRecordedData(t.Context(), given, p)
		if whole != want || err != nil {
			t.Errorf("%s: %t, %v", text, whole, err)
		}
		if whole {
			if got, err := fs.ReadFile(files, "q.csv"); string(got) != text || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		}
		if local, ok := store.As[*store.Local](given); !ok || local != s {
			t.Error("the lake is hidden")
		}
	}
	if all, err := s.List(t.Context(), ""); len(all) > 0 || err != nil {
		t.Errorf("stored are %v: %v", all, err)
	}
}

// What else is in the folder that is given keeps nobody busy: pipes are not waited for, files beyond
// what data may have are not read, and large ones are not held.
func TestGivenDataIsBounded(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir()
	err = errors.Join(syscall.Mkfifo(filepath.Join(dir, "pipe.csv"), 0o600), os.Symlink("/dev/zero", filepath.Join(dir, "zero.csv")),
		os.WriteFile(filepath.Join(dir, "q.csv"), []byte("questions"), 0o600))
	for name, size := range map[string]int64{"endless.csv": 1 << 40, "large.csv": 64 << 20} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), nil, 0o600), os.Truncate(filepath.Join(dir, name), size))
	}
	if err != nil {
		t.Fatal(err)
	}
	given, err := WithData(s, dir)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	all, err := given.List(t.Context(), dataKey(""))
	if len(all) != 2 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	runtime.ReadMemStats(&after)
	if took, held := time.Since(began), after.TotalAlloc-before.TotalAlloc; took > 5*time.Second || held > 8<<20 {
		t.Errorf("it takes %v and %d bytes", took, held)
	}
	key := dataKey(sumOf([]byte("questions")))
	for _, text := range []string{"questions", "questions and more"} { // a file that grows is not read beyond what it had
		if err := os.WriteFile(filepath.Join(dir, "q.csv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := given.Get(t.Context(), key); string(got) != "questions" || err != nil {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
}

// A data file that another campaign has, and a campaign that another goes on from, are tied.
func TestTies(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	record := func(name string, fork *plan.Fork, files ...string) {
		t.Helper()
		p := Plan{
			Campaign: plan.Campaign{Name: name, Replicates: 1, Instances: []int{1}, Conditions: []plan.Condition{{Fork: fork}}},
			Files:    map[string]string{}, Agents: []int{1}, Rounds: []int{1}, Pack: []string{""},
		}
		for _, f := range files {
			p.Files[f] = sumOf([]byte(f))
			if err := s.PutIfAbsent(t.Context(), dataKey(p.Files[f]), []byte(f)); err != nil && !errors.Is(err, store.ErrExists) {
				t.Fatal(err)
			}
		}
		if err := WritePlan(t.Context(), s, p); err != nil {
			t.Fatal(err)
		}
	}
	record("first", nil, "own.csv", "shared.csv")
	record("second", nil, "shared.csv")
	record("fork", &plan.Fork{Campaign: "first"})
	ties, err := ReadTies(t.Context(), s, "first")
	if err != nil || len(ties.Data) != 1 || ties.Data[0].Key != dataKey(sumOf([]byte("own.csv"))) || !slices.Equal(ties.Forks, []string{"fork"}) {
		t.Errorf("ties of first: %+v, %v", ties, err)
	}
	if ties, err = ReadTies(t.Context(), s, "second"); err != nil || len(ties.Data)+len(ties.Forks) > 0 {
		t.Errorf("ties of second: %+v, %v", ties, err)
	}
	if err := s.PutIfAbsent(t.Context(), PlanKey("second", "0123456789ab"), []byte("{")); err != nil {
		t.Fatal(err)
	}
	if ties, err := ReadTies(t.Context(), s, "second"); err != nil || len(ties.Data) > 0 {
		t.Errorf("ties of a damaged campaign: %+v, %v", ties, err)
	}
	if _, err := ReadTies(t.Context(), s, "first"); err == nil {
		t.Error("another campaign's plan cannot be read, and nothing is said")
	}
}
