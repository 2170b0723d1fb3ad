package lake

import (
	"context"
	"slices"
	"strings"

	"roundtable/analysis/lake/store"
)

// LockKey returns the key of the lock of the process that works on a campaign of a local lake.
func LockKey(campaign string) string { return AboutKey(campaign, "lock") }

// Objects returns everything that a campaign has stored, sorted by key, and the objects in its
// folders whose names are not the program's. Left out are its lock, which is no result, and what
// all campaigns of a lake share: the cache and the vectors.
func Objects(ctx context.Context, s store.Store, campaign string) (own, foreign []store.Object, err error) {
	folders, err := foldersOf(ctx, s, campaign)
	if err != nil {
		return nil, nil, err
	}
	for _, folder := range folders {
		objects, err := s.List(ctx, folder)
		if err != nil {
			return nil, nil, err
		}
		for _, o := range objects {
			switch {
			case o.Key == LockKey(campaign):
			case IsOwn(o.Key):
				own = append(own, o)
			default:
				foreign = append(foreign, o)
			}
		}
	}
	slices.SortFunc(own, func(a, b store.Object) int { return strings.Compare(a.Key, b.Key) })
	return own, foreign, nil
}

// foldersOf returns the folders that hold a campaign's objects. Tables are found, not
// listed here, so that one of a later version is not left out.
func foldersOf(ctx context.Context, store store.Store, campaign string) ([]string, error) {
	within := "campaign=" + campaign + "/"
	folders := []string{About + campaign + "/", "answers/" + within, "budget/" + within, "people/" + within}
	for _, parent := range []string{"raw/", "raw/_commits/", "lake/"} {
		tables, err := Folders(ctx, store, parent)
		if err != nil {
			return nil, err
		}
		for _, table := range tables {
			if !strings.HasPrefix(table, ".") && !strings.HasPrefix(table, "campaign=") {
				folders = append(folders, parent+table+"/"+within)
			}
		}
	}
	return folders, nil
}
