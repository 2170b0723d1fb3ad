package lake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"roundtable/analysis/lake/store"
	"slices"
	"strings"
)

// ReadManifest reads a manifest by its key.
func ReadManifest(ctx context.Context, store store.Store, key string) (Manifest, error) {
	return readSealed(ctx, store, key, func(m Manifest) (string, error) { return m.Key(), m.Check() })
}

// ReadIntent reads a recorded batch by its IntentKey.
func ReadIntent(ctx context.Context, store store.Store, key string) (Batch, error) {
	return readSealed(ctx, store, key, func(b Batch) (string, error) { return b.IntentKey(), b.Check() })
}

func readSealed[T any](ctx context.Context, s store.Store, key string,
	check func(T) (key string, err error)) (T, error) {
	var body, none T
	data, err := s.Get(ctx, key)
	if err == nil {
		err = Unseal(key, data, &body)
	}
	if err != nil {
		return none, err
	}
	switch own, err := check(body); {
	case err != nil:
		return none, fmt.Errorf("%s: %w: %w", key, store.ErrCorrupt, err)
	case own != key:
		return none, fmt.Errorf("%s: %w: it is %s", key, store.ErrCorrupt, own)
	}
	return body, nil
}

// ReadManifests returns the manifests of a campaign by number. Those that cannot be read are left
// out and are errors (joined, each with its key).
//
// open are the recorded batches that are not compacted, by number. They include batches with a torn
// manifest, whose commits are still read from their own files; compacting again repairs them.
func ReadManifests(ctx context.Context, store store.Store, campaign string) (all []Manifest, open []Batch, err error) {
	objects, err := List(ctx, store, manifestFolder(campaign))
	if err != nil {
		return nil, nil, err
	}
	var errs []error
	for _, o := range objects {
		name, isIntent := strings.CutSuffix(o.Key, intentSuffix)
		if isIntent {
			continue
		}
		name = strings.TrimSuffix(name, manifestSuffix)
		m, err := ReadManifest(ctx, store, o.Key)
		if err == nil {
			all = append(all, m)
			continue
		}
		if torn, _ := Torn(ctx, store, o.Key); !torn || !isListed(objects, name+intentSuffix) {
			errs = append(errs, err)
		}
	}
	slices.SortFunc(all, func(a, b Manifest) int { return a.Number - b.Number })
	for _, o := range objects {
		name, isIntent := strings.CutSuffix(o.Key, intentSuffix)
		if !isIntent || slices.ContainsFunc(all, func(m Manifest) bool { return m.baseName() == name }) {
			continue
		}
		b, err := ReadIntent(ctx, store, o.Key)
		if err == nil {
			open = append(open, b)
			continue
		}
		if torn, _ := Torn(ctx, store, o.Key); !torn {
			errs = append(errs, err)
		}
	}
	slices.SortFunc(open, func(a, b Batch) int { return a.Number - b.Number })
	return all, open, errors.Join(errs...)
}

func isListed(objects []store.Object, key string) bool {
	return slices.ContainsFunc(objects, func(o store.Object) bool { return o.Key == key })
}

// Torn reports whether a sealed object was written only in part: it is no JSON document. No other
// damage can be repaired.
func Torn(ctx context.Context, store store.Store, key string) (bool, error) {
	data, err := store.Get(ctx, key)
	return err == nil && !json.Valid(data), err
}
