package store

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Watched is a Store that knows which of its pending requests has waited longest.
type Watched struct {
	Store
	mu     sync.Mutex
	waits  map[int64]request
	number int64
}

type request struct {
	what  string
	since time.Time
}

// Watch returns s wrapped as a Watched.
func Watch(s Store) *Watched { return &Watched{Store: s, waits: map[int64]request{}} }

// Unwrap returns the wrapped store (Wrapper). Links go past the wrapper.
func (w *Watched) Unwrap() Store { return w.Store }

// Stalled describes the request that has waited longest, if that is at least least; else it returns
// "".
func (w *Watched) Stalled(least time.Duration) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var longest request
	for _, r := range w.waits {
		if longest.what == "" || r.since.Before(longest.since) {
			longest = r
		}
	}
	if took := time.Since(longest.since); longest.what != "" && took >= least {
		return fmt.Sprintf("waiting for the lake for %s: %s", took.Round(time.Second), longest.what)
	}
	return ""
}

// begin notes a request until the returned function is called.
func (w *Watched) begin(doing, key string) (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.number++
	n := w.number
	w.waits[n] = request{doing + " " + key, time.Now()}
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.waits, n)
	}
}

func (w *Watched) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	defer w.begin("storing", key)()
	return w.Store.PutIfAbsent(ctx, key, data)
}

func (w *Watched) Replace(ctx context.Context, key string, data []byte, etag string) error {
	defer w.begin("replacing", key)()
	return w.Store.Replace(ctx, key, data, etag)
}

func (w *Watched) Get(ctx context.Context, key string) ([]byte, error) {
	defer w.begin("reading", key)()
	return w.Store.Get(ctx, key)
}

func (w *Watched) Head(ctx context.Context, key string) (Object, error) {
	defer w.begin("reading", key)()
	return w.Store.Head(ctx, key)
}

func (w *Watched) List(ctx context.Context, prefix string) ([]Object, error) {
	defer w.begin("listing", prefix)()
	return w.Store.List(ctx, prefix)
}

func (w *Watched) Delete(ctx context.Context, key string) error {
	defer w.begin("deleting", key)()
	return w.Store.Delete(ctx, key)
}
