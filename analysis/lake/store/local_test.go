package store_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

var ctx = context.Background()

func local(t testing.TB, dir string) *store.Local {
	t.Helper()
	l, err := store.NewLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func TestLocalIsAStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) func() store.Store {
		dir := t.TempDir()
		return func() store.Store { return local(t, dir) }
	})
}

func TestLocalFilesAreTheOwnersOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lake")
	l := local(t, dir)
	if err := errors.Join(l.PutIfAbsent(ctx, "a/b/c", []byte("x")), l.Replace(ctx, "a/d", nil, "")); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if err == nil && info.Mode().Perm() != want {
			err = fmt.Errorf("%s has mode %v, want %v", path, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil || files != 3 { // two objects and the lock
		t.Fatal(files, err)
	}
}

func TestLocalStaysInItsDirectory(t *testing.T) {
	base := t.TempDir()
	if err := os.Mkdir(filepath.Join(base, "outside"), 0o700); err != nil {
		t.Fatal(err)
	}
	l := local(t, filepath.Join(base, "lake"))
	if err := os.Symlink("../outside", filepath.Join(base, "lake", "link")); err != nil {
		t.Fatal(err)
	}
	if err := l.PutIfAbsent(ctx, "link/x", []byte("x")); err == nil {
		t.Error("an object was stored through a link that leads out")
	}
	if left, _ := os.ReadDir(filepath.Join(base, "outside")); len(left) > 0 {
		t.Errorf("outside there is %v", left)
	}
	if err := os.WriteFile(filepath.Join(base, "outside", "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, err := l.Get(ctx, "link/secret"); err == nil {
		t.Errorf("%q was read through a link that leads out", data)
	}
}

func TestLocalLeftOversAreIgnoredAndSwept(t *testing.T) {
	dir := t.TempDir()
	l := local(t, dir)
	if err := l.PutIfAbsent(ctx, "a/x", []byte("x")); err != nil {
		t.Fatal(err)
	}
	old, fresh := filepath.Join(dir, "a", ".tmp-1-old"), filepath.Join(dir, "a", ".tmp-2-new")
	for _, f := range []string{old, fresh} {
		if err := os.WriteFile(f, []byte("torn"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Now(), time.Now().Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	objects, err := l.List(ctx, "")
	if err != nil || len(objects) != 1 || objects[0].Key != "a/x" {
		t.Fatal(objects, err)
	}
	if _, err := os.Stat(old); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old left-over is still there: %v", err)
	}
	if _, err := os.Stat(fresh); err != nil {
		t.Errorf("another process may be writing the fresh one: %v", err)
	}
}

func TestLocalDirectoryRemovedUnderneath(t *testing.T) {
	dir := t.TempDir()
	l := local(t, dir)
	for range 3 {
		if err := l.PutIfAbsent(ctx, "a/b/x", []byte("x")); err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Get(ctx, "a/b/x"); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("got %v, want a missing object", err)
		}
	}
}

func TestLocalManyDirectories(t *testing.T) {
	l := local(t, t.TempDir())
	for i := range 1200 { // more than are held open
		if err := l.PutIfAbsent(ctx, fmt.Sprintf("d%d/x", i%600), nil); err != nil && !errors.Is(err, store.ErrExists) {
			t.Fatal(err)
		}
	}
	objects, err := l.List(ctx, "")
	if err != nil || len(objects) != 600 {
		t.Fatal(len(objects), err)
	}
}

// A child process stores objects until it is killed: each one is there whole.
func TestLocalKilledWriter(t *testing.T) {
	const name = "ROUNDTABLE_TEST_WRITER"
	value := []byte(strings.Repeat("x", 100_000))
	if dir := os.Getenv(name); dir != "" {
		l := local(t, dir)
		for i := 0; ; i++ {
			if err := l.PutIfAbsent(ctx, fmt.Sprintf("%d/%d/%d", os.Getpid(), i%7, i), value); err != nil {
				panic(err)
			}
			fmt.Println(i)
		}
	}
	dir := t.TempDir()
	for range 5 {
		c := exec.Command(os.Args[0], "-test.run=^TestLocalKilledWriter$")
		c.Env = append(os.Environ(), name+"="+dir)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Millisecond)
		_ = c.Process.Kill()
		_ = c.Wait()
	}
	l := local(t, dir)
	objects, err := l.List(ctx, "")
	if err != nil || len(objects) < 5 {
		t.Fatal(len(objects), err)
	}
	for _, o := range objects {
		if o.Size != int64(len(value)) {
			t.Errorf("%s has %d bytes", o.Key, o.Size)
		}
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	for _, location := range []string{dir, "file://" + dir, filepath.Join(dir, "new", "lake")} {
		if _, err := store.Open(location, func(string) (store.Store, error) { return nil, errors.New("the location is s3://bucket/prefix") }); err != nil {
			t.Errorf("Open(%s): %v", location, err)
		}
	}
	for location, want := range map[string]string{
		"":                  "no location",
		"s3://":             "s3://bucket/prefix",
		"gs://bucket":       "not known",
		"file://host/x":     "file:///",
		"/dev/null/no/lake": "cannot be made",
	} {
		if _, err := store.Open(location, func(string) (store.Store, error) { return nil, errors.New("the location is s3://bucket/prefix") }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q) says %v, want something with %q", location, err, want)
		}
	}
}

func cpu() time.Duration {
	var r syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &r)
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkPut is durable PUTs (file and directory synced) of 2 KB from 100
// goroutines into 100 directories.
func BenchmarkPut(b *testing.B) {
	l := local(b, b.TempDir())
	data := make([]byte, 2048)
	var n atomic.Int64
	for i := range 100 {
		if err := l.PutIfAbsent(ctx, fmt.Sprintf("answers/campaign=c/%d.0/start", i), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.SetParallelism(50)
	b.ReportAllocs()
	before := cpu()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := n.Add(1)
			if err := l.PutIfAbsent(ctx, fmt.Sprintf("answers/campaign=c/%d.0/%06d.0.json", i%100, i), data); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "put/s")
	b.ReportMetric(float64((cpu()-before).Microseconds())/1000/float64(b.N), "cpu-ms/put")
}

func TestMemoryIsAStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) func() store.Store {
		m := storetest.NewMemory(map[string]string{})
		return func() store.Store { return m }
	})
}

// TestReserve sets room aside in a file that no reader sees, and gives it back.
func TestReserve(t *testing.T) {
	dir := t.TempDir()
	l := local(t, dir)
	for range 2 { // the second finds what a killed process has left
		if err := l.Reserve(1 << 20); err != nil {
			t.Fatal(err)
		}
	}
	var stat syscall.Stat_t
	if err := syscall.Stat(filepath.Join(dir, ".reserve"), &stat); err != nil || stat.Size != 1<<20 || stat.Blocks*512 < 1<<20 {
		t.Errorf("%v, %d bytes in %d blocks", err, stat.Size, stat.Blocks)
	}
	if all, err := l.List(t.Context(), ""); err != nil || len(all) > 0 {
		t.Errorf("%v %v", all, err)
	}
	for range 2 {
		if err := l.Unreserve(); err != nil {
			t.Error(err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("%v %v", entries, err)
	}
}

// A lake is a folder in which others can put what they like: a pipe is neither waited for nor
// read, in place of an object as of a folder.
func TestPipesAreNotRead(t *testing.T) {
	dir := t.TempDir()
	s, err := store.NewLocal(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "a"), 0o700), syscall.Mkfifo(filepath.Join(dir, "a", "pipe"), 0o600), syscall.Mkfifo(filepath.Join(dir, "b"), 0o600)); err != nil {
		t.Fatal(err)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		if _, err := s.Get(t.Context(), "a/pipe"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got: %v", err)
		}
		if _, err := s.Head(t.Context(), "a/pipe"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("head: %v", err)
		}
		if all, err := s.List(t.Context(), "a/"); err != nil || len(all) > 0 {
			t.Errorf("listed %v: %v", all, err)
		}
		for what, err := range map[string]error{
			"an object in a pipe": func() error { _, err := s.Get(t.Context(), "b/x"); return err }(),
			"a list of a pipe":    func() error { _, err := s.List(t.Context(), "b/"); return err }(),
			"its folders":         func() error { _, err := s.Folders(t.Context(), "b/"); return err }(),
			"its keys":            func() error { _, err := s.Keys(t.Context(), "b/"); return err }(),
		} {
			if err == nil {
				t.Errorf("%s is read", what)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("it waits for a pipe")
	}
}
