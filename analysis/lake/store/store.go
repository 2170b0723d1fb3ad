// Package store keeps named objects in a folder (Local) or, in package bucket, in a bucket that
// speaks S3. Both promise the same: an object is seen whole or not at all,
// is durable once stored, and is never overwritten unseen.
//
// Files that others may have made or named are read if they are regular, and to a bounded
// length: a pipe or a device would keep the program waiting, or never end.
package store

import (
	"context"
	"errors"
	"io/fs"
)

// Store is a set of named objects. Keys are slash-separated and relative.
// A missing object is an error that wraps fs.ErrNotExist.
type Store interface {
	// PutIfAbsent stores data durably under a new key; ErrExists if the key is taken.
	// An object is seen whole or not at all.
	PutIfAbsent(ctx context.Context, key string, data []byte) error
	// Replace stores data durably over the object whose ETag is etag ("" = whatever
	// is there, or nothing); ErrChanged if it is another by now.
	Replace(ctx context.Context, key string, data []byte, etag string) error
	Get(ctx context.Context, key string) ([]byte, error)
	Head(ctx context.Context, key string) (Object, error)
	// List returns the objects under prefix, sorted by key. prefix ends in "/" or is empty.
	List(ctx context.Context, prefix string) ([]Object, error)
	// Delete removes an object; a missing one is not an error.
	Delete(ctx context.Context, key string) error
}

// Linker is a Store that can give an object a second name for less than storing it again.
type Linker interface {
	// Link gives the object at a key another key; ErrExists if that is taken. The new
	// name alone may be lost by a power failure.
	Link(ctx context.Context, key, another string) error
}

// Wrapper is a Store around another one that has further methods; see As.
type Wrapper interface {
	Unwrap() Store
}

// As returns s, or else the store that it wraps, as a T, such as a Linker; ok is false if none of
// them is one.
func As[T any](s Store) (able T, ok bool) {
	for {
		if able, ok = s.(T); ok {
			return able, true
		}
		w, wraps := s.(Wrapper)
		if !wraps {
			return able, false
		}
		s = w.Unwrap()
	}
}

// Object describes a stored object.
type Object struct {
	Key  string
	Size int64
	ETag string
}

var (
	ErrExists  = errors.New("object exists")
	ErrChanged = errors.New("object has changed")
	// ErrCorrupt marks an object whose bytes are not those that were written.
	ErrCorrupt = errors.New("object is corrupt")
)

// IgnoreMissing returns nil if err says that an object is missing, else err.
func IgnoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
