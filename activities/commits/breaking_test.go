package commits_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"sync"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

func TestManyCompactorsAtOnce(t *testing.T) {
	_, a, dir := open(t)
	b, err := store.NewLocal(dir)
	must(t, err)
	defer b.Close()
	few(t, a)
	before := seen(t, a)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if _, err := commits.CompactAll(ctx, []store.Store{a, b}[i%2], "c", true); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() { // and a reader
			if got, err := look(b); err != nil || !reflect.DeepEqual(got, before) {
				t.Error("a reader saw other rows:", err)
			}
		})
	}
	wg.Wait()
	checkSame(t, dataset(t, a).Batches, 1)
	verified(t, a, "c")
	exactlyOnce(t, a)
}

// breaking goes wrong at one operation, in one of the ways that stores have.
type breaking struct {
	store.Store
	mu   sync.Mutex
	left int
	how  string
	hit  bool
}

var ways = []string{"unread", "before", "after", "torn", "exists although stored"}

// now says that this is the operation. A read goes wrong in one way only.
func (b *breaking) now(read bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if read != (b.how == "unread") {
		return false
	}
	b.left--
	b.hit = b.hit || b.left == 0
	return b.left == 0
}

func (b *breaking) write(data []byte, do func([]byte) error) error {
	if !b.now(false) {
		return do(data)
	}
	switch b.how {
	case "after":
		_ = do(data)
	case "torn":
		_ = do(data[:len(data)*2/3])
	case "exists although stored":
		if err := do(data); err != nil {
			return err
		}
		return store.ErrExists
	}
	return errFault
}

func (b *breaking) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	return b.write(data, func(d []byte) error { return b.Store.PutIfAbsent(ctx, key, d) })
}

func (b *breaking) Replace(ctx context.Context, key string, data []byte, etag string) error {
	return b.write(data, func(d []byte) error { return b.Store.Replace(ctx, key, d, etag) })
}

func (b *breaking) Get(ctx context.Context, key string) ([]byte, error) {
	if b.now(true) {
		return nil, errFault
	}
	return b.Store.Get(ctx, key)
}

func (b *breaking) Head(ctx context.Context, key string) (store.Object, error) {
	if b.now(true) {
		return store.Object{}, errFault
	}
	return b.Store.Head(ctx, key)
}

func (b *breaking) List(ctx context.Context, prefix string) ([]store.Object, error) {
	if b.now(true) {
		return nil, errFault
	}
	return b.Store.List(ctx, prefix)
}

// Whatever operation goes wrong, and in whatever way: readers see every row
// once right after it, and the next run finishes with the same objects as if
// nothing had happened.
func TestCompactionCutOffAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes under the race detector, which has nothing to see in it")
	}
	raw := storetest.NewMemory(map[string]string{})
	few(t, raw)
	files := contents(t, raw, "")
	want := seen(t, raw)
	compact(t, raw)
	done := contents(t, raw, "")
	for i, how := range ways {
		at, step := 1, 1
		if !*long { // each operation is cut off in one way or another
			at, step = 1+i%3, 3
		}
		for ; ; at += step {
			s := storetest.NewMemory(maps.Clone(files))
			broken := &breaking{Store: s, left: at, how: how}
			_, err := commits.CompactAll(ctx, broken, "c", true)
			if !broken.hit {
				must(t, err)
				break
			}
			if err != nil && !errors.Is(err, errFault) {
				t.Fatalf("%s operation %d: %v", how, at, err)
			}
			if got := seen(t, s); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s operation %d: readers see other rows", how, at)
			}
			compact(t, s)
			if got := contents(t, s, ""); !maps.Equal(got, done) {
				t.Fatalf("%s operation %d: the lake is not as if nothing had happened", how, at)
			}
		}
		if at < 1+10+1 { // intent, parts, manifest
			t.Errorf("%s: only %d operations", how, at)
		}
	}
}
