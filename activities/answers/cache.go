package answers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"roundtable/activities/model"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/transcript"
)

// Question is everything that makes two calls the same call: what is sent, and
// whose it is, so that identical agents, samples and replicates never collapse into one.
type Question struct {
	Model string // provider/model: a server that moves is the same
	Sent  model.Request
	Mode  string // in which Sent says that it wants JSON: see model.Moded
	// Seed is the campaign's.
	Seed                int64
	Instance, Replicate int
	Speaker             transcript.Speaker
	Sample, Ask         int
	Scope               string // see Scope
}

// Scope returns Question.Scope for a campaign's cache_scope.
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

// CacheKey returns the identity of a question: 64 hexadecimal digits.
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

// Cached returns the answer under a CacheKey, marked Cached and free of cost; ok is
// false if there is none that can be read.
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

// Cache keeps the last answer of a turn for questions with the CacheKey that it was
// stored with. The first one stays. Where the store can link, it is the same object.
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

// PutCached keeps an answer as an object of its own.
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
