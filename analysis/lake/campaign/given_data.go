package campaign

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"roundtable/analysis/lake/store"
)

// WithData returns a lake that has the files of a folder among its data files, which are
// found by their contents: others than those that a plan was made from are never used.
// Nothing is stored. Without a folder it is the lake itself.
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
		data, err := fs.ReadFile(g.files, name)
		found[dataKey(sumOf(data))] = store.Object{Key: name, Size: int64(len(data))}
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
			return fs.ReadFile(g.files, o.Key)
		}
	}
	return g.Store.Get(ctx, key)
}
