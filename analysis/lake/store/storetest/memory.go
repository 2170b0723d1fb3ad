package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"roundtable/analysis/lake/store"
)

// Memory is a store in memory: tests that repeat everything hundreds of times need no disk.
type Memory struct {
	mu      sync.Mutex
	Objects map[string]string // by key; not to be changed while the store is in use
}

// NewMemory returns a store that holds objects, which it changes.
func NewMemory(objects map[string]string) *Memory { return &Memory{Objects: objects} }

func etag(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

func (m *Memory) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := checkCall(ctx, key); err != nil {
		return err
	}
	if _, ok := m.Objects[key]; ok {
		return fmt.Errorf("%s: %w", key, store.ErrExists)
	}
	m.Objects[key] = string(data)
	return nil
}

func (m *Memory) Replace(ctx context.Context, key string, data []byte, tag string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := checkCall(ctx, key); err != nil {
		return err
	}
	if old, ok := m.Objects[key]; tag != "" && (!ok || etag(old) != tag) {
		return fmt.Errorf("%s: %w", key, store.ErrChanged)
	}
	m.Objects[key] = string(data)
	return nil
}

func (m *Memory) Get(ctx context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := checkCall(ctx, key); err != nil {
		return nil, err
	}
	data, ok := m.Objects[key]
	if !ok {
		return nil, fmt.Errorf("%s: %w", key, fs.ErrNotExist)
	}
	return []byte(data), nil
}

func (m *Memory) Head(ctx context.Context, key string) (store.Object, error) {
	data, err := m.Get(ctx, key)
	return store.Object{Key: key, Size: int64(len(data)), ETag: etag(string(data))}, err
}

func (m *Memory) List(ctx context.Context, prefix string) ([]store.Object, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := checkCall(ctx, prefix+"x"); err != nil {
		return nil, err
	}
	if prefix != "" && !strings.HasSuffix(prefix, "/") {
		return nil, fmt.Errorf("prefix %q does not end in a slash", prefix)
	}
	var all []store.Object
	for key, data := range m.Objects {
		if strings.HasPrefix(key, prefix) {
			all = append(all, store.Object{Key: key, Size: int64(len(data))})
		}
	}
	slices.SortFunc(all, func(a, b store.Object) int { return strings.Compare(a.Key, b.Key) })
	return all, nil
}

func (m *Memory) Delete(ctx context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := checkCall(ctx, key); err != nil {
		return err
	}
	delete(m.Objects, key)
	return nil
}

func checkCall(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part[0] == '.' || len(key) > 700 || len(part) > 200 || strings.ContainsAny(part, "\\\x00\n") ||
			!utf8.ValidString(part) {
			return fmt.Errorf("%.40q is not a key", key)
		}
	}
	return nil
}
