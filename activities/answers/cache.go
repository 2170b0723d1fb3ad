package answers

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"time"

	"roundtable/activities/model"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/transcript"
)

// Question is everything that identifies a call: what is sent and for whom, so that identical
// agents, samples and replicates never share one answer.
type Question struct {
	Model string // provider/model: a server that moves is the same
	Sent  model.Request
	Mode  string // how Sent asks for JSON; see model.Moded
	// Seed is the campaign's.
	Seed                int64
	Instance, Replicate int
	Speaker             transcript.Speaker
	Sample, Ask         int
	Scope               string // see Scope
}

// Scope returns the value of Question.Scope for a campaign file's cache_scope, called name. An
// unknown name is an error.
func Scope(name, campaign, condition string) (string, error) {
	switch name {
	case "condition":
		return "condition " + campaign + "/" + condition, nil
	case "campaign":
		return "campaign " + campaign, nil
	case "lake":
		return "", nil
	}
	return "", fmt.Errorf("cache_scope is %q; expected condition, campaign or lake", name)
}

// CacheKey returns q's cache key, a hash of all its fields as 64 hexadecimal digits; equal
// questions have equal keys.
func CacheKey(q Question) (string, error) {
	schema := q.Sent.Schema
	if q.Mode != "" && q.Mode != model.SchemaMode { // it is wanted, and not sent
		schema = nil
	}
	data, err := json.Marshal(struct {
		Model      string             `json:"model"`
		Parameters model.Parameters   `json:"parameters"`
		Messages   []model.Message    `json:"messages"`
		Mode       string             `json:"mode,omitempty"`
		Schema     json.RawMessage    `json:"schema,omitempty"`
		Seed       int64              `json:"seed"`
		Instance   int                `json:"instance"`
		Replicate  int                `json:"replicate"`
		Speaker    transcript.Speaker `json:"speaker"`
		Sample     int                `json:"sample"`
		Ask        int                `json:"ask"`
		Scope      string             `json:"scope"`
	}{q.Model, q.Sent.Parameters, q.Sent.Messages, q.Mode, schema, q.Seed, q.Instance, q.Replicate, q.Speaker, q.Sample,
		q.Ask, q.Scope})
	if err != nil {
		return "", fmt.Errorf("cache key: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// cacheObject returns where the answer under a CacheKey is kept: cacheName reads it.
func cacheObject(cacheKey string) string { return "cache/" + cacheKey[:2] + "/" + cacheKey + ".json" }

// cached is cache/<2 hex>/<hash>.json, alone or as a part of an answerObject.
type cached struct {
	Key    string `json:"key"`
	Answer Answer `json:"answer"`
}

// Cached returns the cache entry for cacheKey, with Cached set and no cost; ok is false if there is
// none that can be read.
func (a *Answers) Cached(ctx context.Context, cacheKey string) (answer Answer, ok bool, err error) {
	c, err := readCached(ctx, a.store, cacheObject(cacheKey))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, store.ErrCorrupt) || err == nil && c.Key != cacheKey {
		return Answer{}, false, nil // a damaged entry costs one call, not a cell
	}
	if err != nil {
		return Answer{}, false, err
	}
	return c.Answer.withoutCost(), true, nil
}

// readCached reads an entry. It may be an answer's own object, which is written for another key.
func readCached(ctx context.Context, s store.Store, key string) (c cached, err error) {
	data, err := s.Get(ctx, key)
	if err == nil {
		_, err = lake.UnsealAny(key, data, &c)
	}
	return c, err
}

// Cache makes the last answer of t the cache entry for cacheKey, which must be the key that
// PutAnswering was given. An existing entry stays. A store that can link shares the object.
func (a *Answers) Cache(ctx context.Context, cacheKey string, p RunKey, t Turn) error {
	linker, ok := store.As[store.Linker](a.store)
	if !ok {
		return a.PutCached(ctx, cacheKey, t.Asks[len(t.Asks)-1])
	}
	key, err := p.objectKey("%06d.%d.json", t.Entry, len(t.Asks)-1)
	if err == nil {
		err = linker.Link(ctx, key, cacheObject(cacheKey))
	}
	if errors.Is(err, store.ErrExists) {
		return nil
	}
	return err
}

// PutCached stores answer in the cache as an object of its own. An existing entry stays.
func (a *Answers) PutCached(ctx context.Context, cacheKey string, answer Answer) error {
	t := Turn{Asks: []Answer{answer}}.cleanTexts()
	key := cacheObject(cacheKey)
	data, err := lake.Seal(key, cached{Key: cacheKey, Answer: t.Asks[0]})
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	err = a.store.PutIfAbsent(ctx, key, data)
	if errors.Is(err, store.ErrExists) {
		return nil
	}
	return err
}

// Cache is the content of the cache and how often its entries were used.
type Cache struct {
	Entries []CacheEntry // by key
	Foreign []string     // keys below cache/ that this program never writes
	Damaged []string     // keys of corrupt entries
	served  map[cacheGroup]int
}

// CacheEntry is an answer in the cache.
type CacheEntry struct {
	Key      string
	Size     int64     // bytes of the object
	Model    string    // as the campaign names it
	Campaign string    // that bought it; "" if no row of the ledger says
	Asked    time.Time // when the call began
}

// CacheUse sums up the cache entries of one model that one campaign bought, and its hits.
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

// ReadCache reads every entry of the cache, and from the campaigns' ledgers which of them bought
// and used it.
func ReadCache(ctx context.Context, store store.Store) (Cache, error) {
	c := Cache{served: map[cacheGroup]int{}}
	bought, err := c.readLedgers(ctx, store)
	if err != nil {
		return Cache{}, err
	}
	err = c.readEntries(ctx, store, bought)
	return c, err
}

// CheckCache reads every entry of the cache by itself, without looking up which campaign bought it.
func CheckCache(ctx context.Context, store store.Store) (Cache, error) {
	c := Cache{}
	err := c.readEntries(ctx, store, nil)
	return c, err
}

func (c *Cache) readEntries(ctx context.Context, s store.Store, bought map[callKey]string) error {
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
	read, errs := make([]cached, len(ours)), make([]error, len(ours))
	err = lake.Each(ctx, len(ours), func(ctx context.Context, i int) error {
		read[i], errs[i] = readCached(ctx, s, ours[i].Key)
		if errs[i] == nil || errors.Is(errs[i], store.ErrCorrupt) || errors.Is(errs[i], fs.ErrNotExist) {
			return nil
		}
		return errs[i]
	})
	if err != nil {
		return err
	}
	for i, o := range ours {
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

// Uses returns the entries and hits of the cache, summed by model and campaign and sorted so;
// unknown campaigns come first.
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

// Prunable returns the entries of a campaign whose call began before a time; campaign "" stands for
// all, including entries of unknown campaigns.
func (c Cache) Prunable(before time.Time, campaign string) []CacheEntry {
	var old []CacheEntry
	for _, e := range c.Entries {
		if e.Asked.Before(before) && (campaign == "" || e.Campaign == campaign) {
			old = append(old, e)
		}
	}
	return old
}

// PruneCache deletes entries from the cache and returns how many it deleted. The answers of
// campaigns stay: what was asked once in a campaign is not asked there again.
func PruneCache(ctx context.Context, store store.Store, entries []CacheEntry) (int, error) {
	for n, e := range entries {
		if err := store.Delete(ctx, e.Key); err != nil {
			return n, err
		}
	}
	return len(entries), nil
}
