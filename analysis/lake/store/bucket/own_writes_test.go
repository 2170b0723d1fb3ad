package bucket

import (
	"context"
	"fmt"
	"io/fs"
	"roundtable/analysis/lake/store"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// What this process has stored is listed though the store does not list it yet, until it
// has been listed or deleted, and for no longer than two hours.
func TestOwnWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w ownWrites
		there := map[string]int64{"a/1": 1, "a/2": 2, "a/b/3": 3, "c/4": 4}
		heads := 0
		list := func(prefix string, shown ...string) string {
			var listed []store.Object
			for _, key := range shown {
				listed = append(listed, store.Object{Key: key, Size: there[key]})
			}
			all, err := w.completeListing(t.Context(), listed, w.keysBelow(prefix), func(_ context.Context, key string) (store.Object, error) {
				heads++
				if size, ok := there[key]; ok {
					return store.Object{Key: key, Size: size}, nil
				}
				return store.Object{}, fmt.Errorf("%s: %w", key, fs.ErrNotExist)
			})
			if err != nil {
				t.Fatal(err)
			}
			var words []string
			for _, o := range all {
				words = append(words, fmt.Sprintf("%s:%d", o.Key, o.Size))
			}
			return strings.Join(words, " ")
		}
		for key := range there {
			w.add(key)
			w.add(key)
		}
		w.add("a/gone") // another process has deleted it
		if got := list("a/", "a/2"); got != "a/1:1 a/2:2 a/b/3:3" {
			t.Errorf("listed late: %s", got)
		}
		if got := list("", "a/1", "a/b/3"); got != "a/1:1 a/b/3:3 c/4:4" {
			t.Errorf("what was listed once is remembered: %s", got)
		}
		w.drop("c/4")
		if got := w.keysBelow(""); len(got) > 0 {
			t.Errorf("what was listed or deleted is remembered: %q", got)
		}
		if heads != 4 {
			t.Errorf("%d requests", heads)
		}
		w.add("old/1")
		time.Sleep(writesAge + time.Minute)
		w.add("new/1")
		if got := w.keysBelow(""); len(got) != 2 || !slices.Contains(got, "old/1") {
			t.Errorf("after half an hour: %q", got)
		}
		time.Sleep(writesAge + time.Minute)
		w.add("new/2")
		if got := w.keysBelow("old/"); len(got) > 0 {
			t.Errorf("after an hour: %q", got)
		}
	})
}
