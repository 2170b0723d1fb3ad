package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// Hasher is a Store that hashes an object without holding it in memory.
type Hasher interface {
	// Hash returns the length of an object and the SHA-256 of its bytes, in hexadecimal.
	Hash(ctx context.Context, key string) (size int64, sum string, err error)
}

// Hash returns the size and SHA-256 of an object; it reads the object into memory if s is no
// Hasher.
func Hash(ctx context.Context, s Store, key string) (size int64, sum string, err error) {
	if h, ok := As[Hasher](s); ok {
		return h.Hash(ctx, key)
	}
	data, err := s.Get(ctx, key)
	if err != nil {
		return 0, "", err
	}
	digest := sha256.Sum256(data)
	return int64(len(data)), hex.EncodeToString(digest[:]), nil
}

// Hash returns what Head does: the ETag of a Local's object is its SHA-256.
func (l *Local) Hash(ctx context.Context, key string) (size int64, sum string, err error) {
	o, err := l.Head(ctx, key)
	return o.Size, o.ETag, err
}
