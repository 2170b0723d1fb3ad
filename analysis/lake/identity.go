package lake

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"roundtable/analysis/lake/store"
)

// IdentityKey is the key of a lake's Identity, stored once a cluster has worked on it.
const IdentityKey = "_lake.json"

// Identity tells lakes apart, however each machine reaches them.
type Identity struct {
	ID   string    `json:"id"` // 8 hexadecimal digits, drawn
	Made time.Time `json:"made"`
}

// Identify returns the identity of a lake and gives it one if it has none. Of several
// processes that do so at once the first decides for all.
func Identify(ctx context.Context, s store.Store) (Identity, error) {
	known, err := ReadIdentity(ctx, s)
	if !errors.Is(err, fs.ErrNotExist) {
		return known, err
	}
	drawn := make([]byte, 4)
	if _, err := rand.Read(drawn); err != nil {
		return known, err
	}
	data, err := Seal(IdentityKey, Identity{ID: hex.EncodeToString(drawn), Made: time.Now().UTC()})
	if err != nil {
		return known, err
	}
	if err := s.PutIfAbsent(ctx, IdentityKey, data); err != nil && !errors.Is(err, store.ErrExists) {
		return known, fmt.Errorf("lake: the lake's identity: %w", err)
	}
	return ReadIdentity(ctx, s)
}

// ReadIdentity returns the identity of a lake; fs.ErrNotExist if it has none.
func ReadIdentity(ctx context.Context, store store.Store) (known Identity, err error) {
	data, err := store.Get(ctx, IdentityKey)
	if err != nil {
		return known, err
	}
	return known, Unseal(IdentityKey, data, &known)
}
