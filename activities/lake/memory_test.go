package lake_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"roundtable/analysis/storage"
	"roundtable/analysis/storage/storetest"
)

// ram is a store in memory: tests that repeat everything hundreds of times need no disk.
type ram struct {
	mu      sync.Mutex
	objects map[string]string
}

func memory(objects map[string]string) *ram { return &ram{objects: objects} }

func TestMemoryIsAStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) func() storage.Store {
		r := memory(map[string]string{})
		return func() storage.Store { return r }
	})
}

func etag(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

func (r *ram) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := check(ctx, key); err != nil {
		return err
	}
	if _, ok := r.objects[key]; ok {
		return fmt.Errorf("%s: %w", key, storage.ErrExists)
	}
	r.objects[key] = string(data)
	return nil
}

func (r *ram) Replace(ctx context.Context, key string, data []byte, tag string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := check(ctx, key); err != nil {
		return err
	}
	if old, ok := r.objects[key]; tag != "" && (!ok || etag(old) != tag) {
		return fmt.Errorf("%s: %w", key, storage.ErrChanged)
	}
	r.objects[key] = string(data)
	return nil
}

func (r *ram) Get(ctx context.Context, key string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := check(ctx, key); err != nil {
		return nil, err
	}
	data, ok := r.objects[key]
	if !ok {
		return nil, fmt.Errorf("%s: %w", key, fs.ErrNotExist)
	}
	return []byte(data), nil
}

func (r *ram) Head(ctx context.Context, key string) (storage.Object, error) {
	data, err := r.Get(ctx, key)
	return storage.Object{Key: key, Size: int64(len(data)), ETag: etag(string(data))}, err
}

func (r *ram) List(ctx context.Context, prefix string) ([]storage.Object, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := check(ctx, prefix+"x"); err != nil {
		return nil, err
	}
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		return nil, fmt.Errorf("prefix %q does not end in a slash", prefix)
	}
	var all []storage.Object
	for _, key := range slices.Sorted(maps.Keys(r.objects)) {
		if strings.HasPrefix(key, prefix) {
			all = append(all, storage.Object{Key: key, Size: int64(len(r.objects[key]))})
		}
	}
	return all, nil
}

func (r *ram) Delete(ctx context.Context, key string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := check(ctx, key); err != nil {
		return err
	}
	delete(r.objects, key)
	return nil
}

func check(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part[0] == '.' || len(key) > 700 || len(part) > 200 || strings.ContainsAny(part, "\\\x00\n") || !utf8.ValidString(part) {
			return fmt.Errorf("%.40q is no key", key)
		}
	}
	return nil
}
