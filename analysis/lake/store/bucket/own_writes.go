package bucket

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"roundtable/analysis/lake/store"
	"slices"
	"strings"
	"sync"
	"time"
)

// writesAge is for how long at least an object that was stored must be listed before a
// listing without it is believed.
const writesAge = 30 * time.Minute

// ownWrites are what this process has stored and no listing has shown yet: some stores list
// objects late. Each is forgotten once it is listed, or after one to two writesAge.
type ownWrites struct {
	mu      sync.Mutex
	unseen  [2]map[string]map[string]bool // names by folder: the present half, and the one before
	changed time.Time
}

// add notes an object that is there.
func (w *ownWrites) add(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := time.Now(); w.unseen[0] == nil || now.Sub(w.changed) > writesAge {
		w.unseen[0], w.unseen[1], w.changed = map[string]map[string]bool{}, w.unseen[0], now
	}
	folder, name := path.Split(key)
	if w.unseen[0][folder] == nil {
		w.unseen[0][folder] = map[string]bool{}
	}
	w.unseen[0][folder][name] = true
}

// drop notes an object that needs no watching any more.
func (w *ownWrites) drop(key string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	folder, name := path.Split(key)
	for _, half := range w.unseen {
		if delete(half[folder], name); len(half[folder]) == 0 {
			delete(half, folder)
		}
	}
}

// keysBelow returns the keys under a prefix.
func (w *ownWrites) keysBelow(prefix string) (keys []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, half := range w.unseen {
		for folder, names := range half {
			if strings.HasPrefix(folder, prefix) {
				for name := range names {
					keys = append(keys, folder+name)
				}
			}
		}
	}
	return keys
}

// completeListing returns a listing, sorted by key, with what this process had stored before it
// was asked for (below) and it lacks. head is asked for these: another process may have deleted them.
func (w *ownWrites) completeListing(ctx context.Context, listed []store.Object, below []string,
	head func(context.Context, string) (store.Object, error)) ([]store.Object, error) {
	byKey := func(o store.Object, key string) int { return strings.Compare(o.Key, key) }
	var late []store.Object
	for _, key := range below {
		if _, ok := slices.BinarySearchFunc(listed, key, byKey); ok {
			w.drop(key)
			continue
		}
		switch o, err := head(ctx, key); {
		case errors.Is(err, fs.ErrNotExist):
			w.drop(key)
		case err != nil:
			return listed, err
		default:
			late = append(late, o)
		}
	}
	if len(late) > 0 {
		listed = append(listed, late...)
		slices.SortFunc(listed, func(a, b store.Object) int { return byKey(a, b.Key) })
		listed = slices.CompactFunc(listed, func(a, b store.Object) bool { return a.Key == b.Key })
	}
	return listed, nil
}
