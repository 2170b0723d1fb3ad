package lake

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"roundtable/analysis/lake/store"
)

// ownNames are the names that the program gives to objects below a folder; the first
// folder that fits decides. Windows, macOS, editors and folders that are synchronized
// leave others: Thumbs.db, "batch-0 (1).json", 0.sync-conflict-….json.
var ownNames = []struct{ folder, name *regexp.Regexp }{
	{regexp.MustCompile(`^lake/_manifests/campaign=`), regexp.MustCompile(`^batch-\d+(\.intent)?\.json$`)},
	{regexp.MustCompile(`^lake/_outcomes/campaign=`), regexp.MustCompile(`^outcomes-\d+\.json$`)},
	{regexp.MustCompile(`^lake/_campaigns/[^/]+/(settlements|plans)/`), regexp.MustCompile(`^[0-9a-f]+\.json$`)},
	{regexp.MustCompile(`^lake/_campaigns/[^/]+/starts/`), regexp.MustCompile(`^[0-9a-z]+(\.[0-9a-z]+)?\.json$`)},
	{regexp.MustCompile(`^lake/_campaigns/`),
		regexp.MustCompile(`^([A-Za-z0-9_.-]+\.(json|md)|_SUCCESS|SHA256SUMS|lock)$`)},
	{regexp.MustCompile(`^raw/_commits/`), regexp.MustCompile(`^[A-Za-z0-9_-]+\.\d+\.json$`)},
	{regexp.MustCompile(`^raw/`), regexp.MustCompile(`^[A-Za-z0-9_-]+\.\d+(\..+)?\.parquet$`)},
	{regexp.MustCompile(`^lake/`), regexp.MustCompile(`^part-[^ ()~]+\.parquet$`)},
	{regexp.MustCompile(`^(answers|budget)/`), regexp.MustCompile(`^\d+(\.[a-z0-9]+(-\d+)?)*\.json$`)},
}

// IsOwn reports whether key is a name that this program gives to objects.
func IsOwn(key string) bool {
	for _, n := range ownNames {
		if n.folder.MatchString(key) {
			return n.name.MatchString(key[strings.LastIndex(key, "/")+1:])
		}
	}
	return true
}

// List returns the objects under a prefix for whose keys IsOwn is true, sorted by key. Verify lists
// the others.
func List(ctx context.Context, s store.Store, prefix string) ([]store.Object, error) {
	objects, err := s.List(ctx, prefix)
	return slices.DeleteFunc(objects, func(o store.Object) bool { return !IsOwn(o.Key) }), err
}
