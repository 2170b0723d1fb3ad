package campaign

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"roundtable/analysis/lake/store"
)

// mostGiven is the greatest size of a file that a plan can be made from: no reader of data takes more.
const mostGiven = 4 << 30

// WithData returns a store that also has the files of folder as data files. They are found by their
// hashes, so only files that a plan was made from are ever used. Nothing is stored. If folder is
// "", it returns s.
func WithData(s store.Store, folder string) (store.Store, error) {
	if folder == "" {
		return s, nil
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("--data %s is not a folder", folder)
	}
	g := &givenData{Store: s}
	g.find = sync.OnceValues(func() (map[string]store.Object, error) { return g.hashFiles(folder) })
	return g, nil
}

// givenData is a lake with a folder of data files.
type givenData struct {
	store.Store
	files fs.FS
	find  func() (map[string]store.Object, error) // the folder's files by data key; Key is their name
}

// Unwrap returns the lake.
func (g *givenData) Unwrap() store.Store { return g.Store }

func (g *givenData) hashFiles(folder string) (map[string]store.Object, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	g.files = store.RegularFS(root)
	found := map[string]store.Object{}
	return found, fs.WalkDir(g.files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > mostGiven {
			return err
		}
		f, err := g.files.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		h := sha256.New()
		size, err := io.Copy(h, io.LimitReader(f, mostGiven))
		found[dataKey(hex.EncodeToString(h.Sum(nil)))] = store.Object{Key: name, Size: size}
		return err
	})
}

// List returns the lake's objects and, of its data files, the folder's.
func (g *givenData) List(ctx context.Context, prefix string) ([]store.Object, error) {
	objects, err := g.Store.List(ctx, prefix)
	if prefix != dataKey("") || err != nil {
		return objects, err
	}
	found, err := g.find()
	stored := map[string]bool{}
	for _, o := range objects {
		stored[o.Key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if !stored[key] {
			objects = append(objects, store.Object{Key: key, Size: found[key].Size})
		}
	}
	slices.SortFunc(objects, func(a, b store.Object) int { return strings.Compare(a.Key, b.Key) })
	return objects, err
}

// Get returns an object of the lake, or a file of the folder.
func (g *givenData) Get(ctx context.Context, key string) ([]byte, error) {
	if strings.HasPrefix(key, dataKey("")) {
		found, err := g.find()
		if err != nil {
			return nil, err
		}
		if o, given := found[key]; given {
			f, err := g.files.Open(o.Key)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			data := make([]byte, o.Size)
			n, err := io.ReadFull(f, data)
			if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
				err = nil // it is shorter now: its sum is compared where it is read
			}
			return data[:n], err
		}
	}
	return g.Store.Get(ctx, key)
}
