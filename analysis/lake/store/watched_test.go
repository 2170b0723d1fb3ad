package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// seen is a store whose requests look at what is said of them.
type seen struct{ look func() }

func (s seen) PutIfAbsent(context.Context, string, []byte) error     { s.look(); return nil }
func (s seen) Replace(context.Context, string, []byte, string) error { s.look(); return nil }
func (s seen) Get(context.Context, string) ([]byte, error)           { s.look(); return nil, nil }
func (s seen) Head(context.Context, string) (Object, error)          { s.look(); return Object{}, nil }
func (s seen) List(context.Context, string) ([]Object, error)        { s.look(); return nil, nil }
func (s seen) Delete(context.Context, string) error                  { s.look(); return nil }

// A request that waits is named while it does, and no longer.
func TestWatchedNamesWhatWaits(t *testing.T) {
	var w *Watched
	said, ctx := "", t.Context()
	w = Watch(seen{func() { said = w.Stalled(0) + w.Stalled(time.Hour) }})
	for doing, ask := range map[string]func() error{
		"storing":   func() error { return w.PutIfAbsent(ctx, "a/b", nil) },
		"replacing": func() error { return w.Replace(ctx, "a/b", nil, "") },
		"reading":   func() error { _, err := w.Get(ctx, "a/b"); _, e := w.Head(ctx, "a/b"); return errors.Join(err, e) },
		"listing":   func() error { _, err := w.List(ctx, "a/b"); return err },
		"deleting":  func() error { return w.Delete(ctx, "a/b") },
	} {
		if err := ask(); err != nil || said != "waiting for the lake for 0s: "+doing+" a/b" || w.Stalled(0) != "" {
			t.Errorf("%v, it said %q of %s, and %q after that", err, said, doing, w.Stalled(0))
		}
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

// Of several requests the one that has waited longest is named, and each until it has ended.
func TestWatchedNamesTheLongest(t *testing.T) {
	w := Watch(nil)
	first := w.begin("storing", "a")
	time.Sleep(time.Millisecond)
	second := w.begin("reading", "b")
	for _, x := range []struct {
		end  func()
		want string
	}{{func() {}, "storing a"}, {first, "reading b"}, {second, ""}} {
		if x.end(); !strings.HasSuffix(w.Stalled(0), x.want) || (w.Stalled(0) == "") != (x.want == "") {
			t.Errorf("it says %q, want %q", w.Stalled(0), x.want)
		}
	}
}

func TestExplainFull(t *testing.T) {
	for err, full := range map[error]bool{syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EACCES: false, nil: false} {
		if got := explainFull(err); !errors.Is(got, err) || full != strings.Contains(fmt.Sprint(got), "the disk is full") {
			t.Errorf("%v: %v", err, got)
		}
	}
}
