package store

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// own are names of files that are in a cache: hashes, and what is not named yet.
var own = regexp.MustCompile(`^([0-9a-f]{64}\.(json|parquet)|\.tmp-\d+)$`)

// Cache is a folder of files, named by hashes, that can be made again: each is there whole or not at all,
// and those that nobody has used for long make room for others. It is no Store: a file may be
// gone at any time, and a power failure may leave none.
type Cache struct{ Folder string }

// UserCache returns the cache called name in the system's cache folder of the user.
func UserCache(name string) (Cache, error) {
	user, err := os.UserCacheDir()
	return Cache{filepath.Join(user, "roundtable", name)}, err
}

// Touch returns the path of a file of this size and marks it as used now; ok is false if there is
// none.
func (c Cache) Touch(name string, size int64) (path string, ok bool) {
	path = filepath.Join(c.Folder, name)
	info, err := os.Stat(path)
	if err != nil || info.Size() != size {
		return path, false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // see Prune
	return path, true
}

// Get returns the content of a file and marks it as used now.
func (c Cache) Get(name string) ([]byte, error) {
	path := filepath.Join(c.Folder, name)
	now := time.Now()
	_ = os.Chtimes(path, now, now) // see Prune
	return os.ReadFile(path)
}

// Put stores a file whole or not at all, replacing one of the same name.
func (c Cache) Put(name string, data []byte) error {
	path := filepath.Join(c.Folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".tmp-")
	if err != nil {
		return err
	}
	_, err = temp.Write(data)
	err = cmp.Or(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}

// Prune removes files last used before a time, also those of interrupted writes, the oldest first,
// until at most most bytes are left.
func (c Cache) Prune(most int64, before time.Time) error {
	type aged struct {
		path string
		size int64
		used time.Time
	}
	var all []aged
	var total int64
	err := filepath.WalkDir(c.Folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // pruned by another
		}
		if err == nil && own.MatchString(filepath.Base(path)) {
			all, total = append(all, aged{path, info.Size(), info.ModTime()}), total+info.Size()
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b aged) int { return a.used.Compare(b.used) })
	for _, a := range all {
		if total <= most || !a.used.Before(before) {
			break
		}
		if err := os.Remove(a.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		total -= a.size
	}
	return nil
}
