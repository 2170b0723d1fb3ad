package store

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

// slow is a store whose reading waits until it is let go.
type slow struct {
	Store
	let chan struct{}
}

func (s slow) Get(context.Context, string) ([]byte, error) { <-s.let; return nil, nil }

// A request that waits is named while it does.
func TestWatchedNamesWhatWaits(t *testing.T) {
	s := slow{let: make(chan struct{})}
	w := Watch(s)
	done := make(chan struct{})
	go func() { defer close(done); _, _ = w.Get(t.Context(), "a/b") }()
	for w.Stalled(0) == "" {
		time.Sleep(time.Millisecond)
	}
	if got := w.Stalled(0); !strings.HasSuffix(got, ": reading a/b") || w.Stalled(time.Hour) != "" {
		t.Errorf("got %q and %q", got, w.Stalled(time.Hour))
	}
	close(s.let)
	if <-done; w.Stalled(0) != "" {
		t.Errorf("still %q", w.Stalled(0))
	}
}

// A lake holds no more files open than its share, whatever is asked of it at once.
func TestOpenFilesAreBounded(t *testing.T) {
	if share(256, filesOfDirectory, maxDirectories)*2+share(256, filesOfRequest, maxRequests)*5 > 160 || share(1<<16, filesOfDirectory, maxDirectories) != maxDirectories || share(0, 9, 9) != 2 {
		t.Error("the shares do not fit into 256 files")
	}
	l, err := NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	l.requests = make(chan struct{}, 2)
	l.dirs.open.Resize(2)
	before := countOpenFiles(t)
	done := make(chan error)
	for i := range 64 {
		go func() {
			key := strings.Repeat("d/", i%8+1) + string(rune('a'+i%26)) + strings.Repeat("x", i)
			err := l.PutIfAbsent(t.Context(), key, []byte("x"))
			if err == nil {
				_, err = l.Get(t.Context(), key)
			}
			done <- err
		}()
	}
	most := 0
	for range 64 {
		if err := <-done; err != nil {
			t.Error(err)
		}
		most = max(most, countOpenFiles(t)-before)
	}
	if most > 24 {
		t.Errorf("%d files were open at once", most)
	}
}

func countOpenFiles(t *testing.T) int {
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("this system does not show open files")
	}
	return len(files)
}
