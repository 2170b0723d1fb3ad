package lock_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/infra/lock"
)

func TestLockSaysWhoHoldsIt(t *testing.T) { synctest.Test(t, lockSaysWhoHoldsIt) } // whose clock waits for nothing

func lockSaysWhoHoldsIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lake", "_campaigns", "c", "lock") // folders are made
	held, err := lock.File(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = lock.File(path, 0)
	want := fmt.Sprintf("%s: in use by process %d since 2000-01-01 00:00:00 UTC", path, os.Getpid())
	if !errors.Is(err, lock.ErrInUse) || !strings.Contains(err.Error(), want) {
		t.Errorf("a second lock: %v, want %q", err, want)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := lock.File(path, 0)
	if err != nil {
		t.Fatalf("after it was let go: %v", err)
	}
	defer again.Close()
	for text, says := range map[string]string{"": "another process", "42\n": "process 42", "x y\n": "another process", "42 \x1b[2J\n": "by process 42"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := lock.File(path, 0); err == nil || !strings.HasSuffix(err.Error(), says) {
			t.Errorf("a lock signed %q: %v", text, err)
		}
	}
}

// A process that was killed a moment ago lets go while the next one waits.
func TestLockWaitsForOneThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "lock")
		held, err := lock.File(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() { held.Close() })
		next, err := lock.File(path, 0)
		if err != nil {
			t.Fatal(err)
		}
		next.Close()
	})
}

func TestLockHasOneHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var holders, took atomic.Int32
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for took.Load() < 100 {
				held, err := lock.File(path, 0)
				if err != nil {
					continue
				}
				if holders.Add(1) > 1 {
					t.Error("two hold it")
				}
				took.Add(1)
				holders.Add(-1)
				held.Close()
			}
		})
	}
	wait.Wait()
}

func TestLockFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "precious")
	if err := os.WriteFile(other, []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(dir, "lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := lock.File(filepath.Join(dir, "lock"), 0); err == nil {
		t.Error("locked through a link")
	}
	if text, _ := os.ReadFile(other); string(text) != "kept" {
		t.Errorf("the file behind the link is now %q", text)
	}
}

// Who holds a lock can be asked without taking it.
func TestLockHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if who := lock.Holder(path); who != "" {
		t.Errorf("a lock that was never taken is held by %s", who)
	}
	held, err := lock.File(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	if who := lock.Holder(path); !strings.HasPrefix(who, fmt.Sprintf("process %d", os.Getpid())) {
		t.Errorf("held by %q, wanted this process", who)
	}
	held.Close()
	if who := lock.Holder(path); who != "" {
		t.Errorf("a lock that was let go is held by %s", who)
	}
}
