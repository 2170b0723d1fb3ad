package answers

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"time"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// Cache is what the cache holds and what it was good for.
type Cache struct {
	Entries []CacheEntry // by key
	Foreign []string     // keys below cache/ that this program never gives
	Damaged []string     // keys of entries that are not what was written
	served  map[cacheGroup]int
}

// CacheEntry is an answer in the cache.
type CacheEntry struct {
	Key      string
	Size     int64     // bytes of the object
	Model    string    // as the campaign names it
	Campaign string    // that bought it; "" until a row of the ledger says so
	Asked    time.Time // when the call began
}

// CacheUse is the cache from the side of one model and one campaign.
type CacheUse struct {
	Model    string `json:"model"`
	Campaign string `json:"campaign,omitempty"` // "" if it is not known
	Entries  int    `json:"entries"`            // that the campaign bought
	Bytes    int64  `json:"bytes"`              // of these
	// answers that the campaign had from the cache, as its committed calls say
	Served int `json:"served"`
}

type cacheGroup struct{ model, campaign string }

// callKey tells calls apart: an entry of the cache is a copy of one of them.
type callKey struct {
	model, request string
	asked          int64
}

// cacheName is the name of an entry; anything else is not ours to touch.
var cacheName = regexp.MustCompile(`^cache/([0-9a-f]{2})/([0-9a-f]{64})\.json$`)

// ReadCache reads every entry of a lake's cache, and the ledgers of its campaigns.
func ReadCache(ctx context.Context, store store.Store) (Cache, error) {
	c := Cache{served: map[cacheGroup]int{}}
	bought, err := c.readLedgers(ctx, store)
	if err != nil {
		return Cache{}, err
	}
	err = c.readCampaign(ctx, store, bought)
	return c, err
}

// CheckCache reads every entry alone: whose they are is not looked up.
func CheckCache(ctx context.Context, store store.Store) (Cache, error) {
	c := Cache{}
	err := c.readCampaign(ctx, store, nil)
	return c, err
}

func (c *Cache) readCampaign(ctx context.Context, s store.Store, bought map[callKey]string) error {
	objects, err := s.List(ctx, "cache/")
	if err != nil {
		return err
	}
	var ours []store.Object
	for _, o := range objects {
		if m := cacheName.FindStringSubmatch(o.Key); m != nil && m[2][:2] == m[1] {
			ours = append(ours, o)
		} else {
			c.Foreign = append(c.Foreign, o.Key)
		}
	}
	return c.readEntries(ctx, s, ours, bought)
}

func (c *Cache) readEntries(ctx context.Context, s store.Store, objects []store.Object,
	bought map[callKey]string) error {
	read := make([]cached, len(objects))
	errs := make([]error, len(objects))
	err := lake.Each(ctx, len(objects), func(ctx context.Context, i int) error {
		read[i], errs[i] = readCached(ctx, s, objects[i].Key)
		if errs[i] == nil || errors.Is(errs[i], store.ErrCorrupt) || errors.Is(errs[i], fs.ErrNotExist) {
			return nil
		}
		return errs[i]
	})
	if err != nil {
		return err
	}
	for i, o := range objects {
		a := read[i].Answer
		switch {
		case errors.Is(errs[i], fs.ErrNotExist): // pruned by another meanwhile
		case errs[i] != nil || cacheName.FindStringSubmatch(o.Key)[2] != read[i].Key:
			c.Damaged = append(c.Damaged, o.Key)
		default:
			c.Entries = append(c.Entries, CacheEntry{
				Key: o.Key, Size: o.Size, Model: a.ModelAsked, Asked: time.UnixMicro(a.StartedAt).UTC(),
				Campaign: bought[callKey{a.ModelAsked, a.RequestID, a.StartedAt}],
			})
		}
	}
	return nil
}

// readLedgers counts the answers served and says which campaign bought a call,
// of all generations.
func (c *Cache) readLedgers(ctx context.Context, store store.Store) (map[callKey]string, error) {
	campaigns, err := lake.Campaigns(ctx, store)
	if err != nil {
		return nil, err
	}
	bought := map[callKey]string{}
	for _, campaign := range campaigns {
		d, err := lake.ReadDataset(ctx, store, campaign)
		if err == nil {
			d, err = d.Generations(ctx, store)
		}
		if err != nil {
			return nil, err
		}
		for call, err := range lake.Scan[record.Call](ctx, store, d) {
			switch {
			case err != nil:
				return nil, err
			case call.Cached:
				c.served[cacheGroup{call.ModelAsked, campaign}]++
			default:
				bought[callKey{call.ModelAsked, call.RequestID, call.StartedAt}] = campaign
			}
		}
	}
	return bought, nil
}

// Uses sums the cache up by model and campaign, in this order; campaigns that
// are not known come first.
func (c Cache) Uses() []CacheUse {
	uses := map[cacheGroup]*CacheUse{}
	of := func(g cacheGroup) *CacheUse {
		if uses[g] == nil {
			uses[g] = &CacheUse{Model: g.model, Campaign: g.campaign}
		}
		return uses[g]
	}
	for _, e := range c.Entries {
		u := of(cacheGroup{e.Model, e.Campaign})
		u.Entries, u.Bytes = u.Entries+1, u.Bytes+e.Size
	}
	for g, n := range c.served {
		of(g).Served = n
	}
	all := make([]CacheUse, 0, len(uses))
	for _, g := range slices.SortedFunc(maps.Keys(uses), func(a, b cacheGroup) int {
		return cmp.Or(cmp.Compare(a.model, b.model), cmp.Compare(a.campaign, b.campaign))
	}) {
		all = append(all, *uses[g])
	}
	return all
}

// Prunable returns the entries whose call began before a time, of one campaign
// ("" for all, also those whose campaign is not known).
func (c Cache) Prunable(before time.Time, campaign string) []CacheEntry {
	var old []CacheEntry
	for _, e := range c.Entries {
		if e.Asked.Before(before) && (campaign == "" || e.Campaign == campaign) {
			old = append(old, e)
		}
	}
	return old
}

// PruneCache deletes entries of the cache and says how many. The answers of
// campaigns stay: what was asked once in a campaign is not asked there again.
func PruneCache(ctx context.Context, store store.Store, entries []CacheEntry) (int, error) {
	for n, e := range entries {
		if err := store.Delete(ctx, e.Key); err != nil {
			return n, err
		}
	}
	return len(entries), nil
}
