package lake

import (
	"context"
	"slices"
	"sync"
	"time"

	"roundtable/analysis/lake/store"
)

// listingAge is how old the list of a campaign's commits may be that readers share.
const listingAge = time.Second

// Recent returns a store that caches the list of a campaign's commits for a second, so that a
// command that checks a campaign and then reads its rows lists them once. In a bucket a list of
// 100,000 takes 100 requests.
func Recent(s store.Store, campaign string) store.Store {
	return &recent{Store: s, prefix: commitFolder(campaign)}
}

type recent struct {
	store.Store
	prefix string

	mu      sync.Mutex // held while it is listed: others wait for the same list
	objects []store.Object
	listed  time.Time
}

// Unwrap returns the lake.
func (r *recent) Unwrap() store.Store { return r.Store }

// List returns the commits as they were a second ago at most, and other objects as they are.
func (r *recent) List(ctx context.Context, prefix string) ([]store.Object, error) {
	if prefix != r.prefix {
		return r.Store.List(ctx, prefix)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listed.IsZero() || time.Since(r.listed) > listingAge {
		objects, err := r.Store.List(ctx, prefix)
		if err != nil {
			return objects, err
		}
		r.objects, r.listed = objects, time.Now()
	}
	return slices.Clone(r.objects), nil
}
