// Package storetest is the suite that every lake.Store passes, and the real S3
// server that tests run it against.
package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"roundtable/analysis/lake/store"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Run tests stores. open returns a new client of one store, empty at first;
// clients behave as if they were in processes of their own.
func Run(t *testing.T, open func(t *testing.T) (client func() store.Store)) {
	tests := map[string]func(*testing.T, func() store.Store){
		"put and get":              putAndGet,
		"missing objects":          testMissing,
		"bad keys":                 badKeys,
		"list":                     testList,
		"folders":                  testFolders,
		"replace":                  testReplace,
		"delete":                   testRemove,
		"one of many puts wins":    onePutWins,
		"one of many equal wins":   oneEqualPutWins,
		"one of many CAS wins":     oneReplaceWins,
		"never seen in part":       neverInPart,
		"cancelled context":        testCancelled,
		"data is not kept or lent": noSharing,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

var ctx = context.Background()

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func is(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want one that wraps %q", err, want)
	}
}

func checkContent(t *testing.T, s store.Store, key, want string) {
	t.Helper()
	got, err := s.Get(ctx, key)
	must(t, err)
	if string(got) != want {
		t.Fatalf("%s holds %.60q, want %.60q", key, got, want)
	}
}

func putAndGet(t *testing.T, client func() store.Store) {
	s := client()
	for key, value := range map[string]string{
		"a":                          "1",
		"raw/turns/campaign=c/x.bin": "\x00\xff\x80binary\r\n",
		"deep/er/and/deep/er/empty":  "",
		"big":                        strings.Repeat("0123456789", 500_000),
	} {
		must(t, s.PutIfAbsent(ctx, key, []byte(value)))
		checkContent(t, s, key, value)
		is(t, s.PutIfAbsent(ctx, key, []byte("other")), store.ErrExists)
		checkContent(t, client(), key, value)
		o, err := s.Head(ctx, key)
		must(t, err)
		if o.Key != key || o.Size != int64(len(value)) || o.ETag == "" {
			t.Fatalf("Head is %+v for %d bytes under %s", o, len(value), key)
		}
		size, sum, err := store.Hash(ctx, s, key)
		must(t, err)
		if size != int64(len(value)) || sum != fmt.Sprintf("%x", sha256.Sum256([]byte(value))) {
			t.Fatalf("Hash is %d, %s for %d bytes under %s", size, sum, len(value), key)
		}
	}
}

func testMissing(t *testing.T, client func() store.Store) {
	s := client()
	must(t, s.PutIfAbsent(ctx, "dir/there", nil))
	for _, key := range []string{"none", "no/such/dir", "dir/none", "dir"} {
		_, err := s.Get(ctx, key)
		is(t, err, fs.ErrNotExist)
		_, err = s.Head(ctx, key)
		is(t, err, fs.ErrNotExist)
		_, _, err = store.Hash(ctx, s, key)
		is(t, err, fs.ErrNotExist)
		if key != "dir" {
			must(t, s.Delete(ctx, key))
		}
	}
}

func badKeys(t *testing.T, client func() store.Store) {
	s := client()
	for _, key := range []string{
		"", "/", "/etc/passwd", "..", "../x", "a/../../x", "a/..", "./a", "a//b", "a/", "a\x00b", "a\nb", "\xff",
		`a\b`, ".hidden", "a/.tmp-1", strings.Repeat("x", 300), strings.Repeat("x/", 400) + "x",
	} {
		if err := s.PutIfAbsent(ctx, key, nil); err == nil || errors.Is(err, store.ErrExists) {
			t.Errorf("PutIfAbsent of key %.40q: error %v, want a refusal", key, err)
		}
		if err := s.Replace(ctx, key, nil, ""); err == nil {
			t.Errorf("Replace accepts key %.40q", key)
		}
		if _, err := s.Get(ctx, key); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Get of key %.40q: error %v, want a refusal", key, err)
		}
		if _, err := s.Head(ctx, key); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("Head of key %.40q: error %v, want a refusal", key, err)
		}
		if err := s.Delete(ctx, key); err == nil {
			t.Errorf("Delete accepts key %.40q", key)
		}
	}
	for _, prefix := range []string{"a", "../", "/", "a/../", ".tmp/"} {
		if _, err := s.List(ctx, prefix); err == nil {
			t.Errorf("List accepts prefix %q", prefix)
		}
	}
	all, err := s.List(ctx, "")
	must(t, err)
	if len(all) > 0 {
		t.Errorf("refused keys left %v", all)
	}
}

func testList(t *testing.T, client func() store.Store) {
	s := client()
	keys := []string{"a.json", "a/x", "a/y/z", "a-b/x", "a0", "b/x"}
	for _, k := range keys {
		must(t, s.PutIfAbsent(ctx, k, []byte(k)))
	}
	slices.Sort(keys)
	for prefix, want := range map[string][]string{"": keys, "a/": {"a/x", "a/y/z"}, "a/y/": {"a/y/z"}, "none/": nil} {
		objects, err := client().List(ctx, prefix)
		must(t, err)
		var got []string
		for _, o := range objects {
			got = append(got, o.Key)
			if o.Size != int64(len(o.Key)) {
				t.Errorf("List says that %s has %d bytes", o.Key, o.Size)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("List(%q) is %q, want %q", prefix, got, want)
		}
	}
}

// testFolders is of stores that can say what is directly below a prefix.
func testFolders(t *testing.T, client func() store.Store) {
	s, ok := client().(interface {
		Folders(ctx context.Context, prefix string) ([]string, error)
	})
	if !ok {
		t.Skip("the store lists objects only")
	}
	for _, k := range []string{"a/b/x", "a/b/y", "a/b-c/x", "a/file", "z/x", "d/x", "q/x", "m/x"} {
		must(t, client().PutIfAbsent(ctx, k, nil))
	}
	for prefix, want := range map[string][]string{"": {"a", "d", "m", "q", "z"}, "a/": {"b", "b-c"}, "a/b/": nil, "none/": nil} {
		got, err := s.Folders(ctx, prefix)
		must(t, err)
		if !slices.Equal(got, want) {
			t.Errorf("Folders(%q) is %q, want %q", prefix, got, want)
		}
	}
}

func testReplace(t *testing.T, client func() store.Store) {
	s := client()
	is(t, s.Replace(ctx, "k", []byte("x"), "no-such-etag"), store.ErrChanged)
	must(t, s.Replace(ctx, "k", []byte("first"), ""))
	first, err := s.Head(ctx, "k")
	must(t, err)
	must(t, s.Replace(ctx, "k", []byte("second"), first.ETag))
	checkContent(t, s, "k", "second")
	is(t, s.Replace(ctx, "k", []byte("third"), first.ETag), store.ErrChanged)
	checkContent(t, s, "k", "second")
	must(t, s.Replace(ctx, "k", []byte("fourth"), ""))
	checkContent(t, client(), "k", "fourth")
}

func testRemove(t *testing.T, client func() store.Store) {
	s := client()
	must(t, s.PutIfAbsent(ctx, "d/k", []byte("1")))
	must(t, s.Delete(ctx, "d/k"))
	must(t, s.Delete(ctx, "d/k"))
	_, err := s.Get(ctx, "d/k")
	is(t, err, fs.ErrNotExist)
	must(t, s.PutIfAbsent(ctx, "d/k", []byte("2")))
	checkContent(t, s, "d/k", "2")
}

func onePutWins(t *testing.T, client func() store.Store) {
	clients := []store.Store{client(), client()}
	for round := range 20 {
		key := fmt.Sprintf("race/%d/winner", round)
		var winner atomic.Int64
		runAtOnce(t, 16, func(i int) error {
			err := clients[i%2].PutIfAbsent(ctx, key, bytes.Repeat([]byte{byte(i)}, 5000))
			switch {
			case err == nil && !winner.CompareAndSwap(0, int64(i)+1):
				return fmt.Errorf("%d and %d both won", i, winner.Load()-1)
			case err != nil && !errors.Is(err, store.ErrExists):
				return err
			}
			return nil
		})
		if winner.Load() == 0 {
			t.Fatal("nobody won")
		}
		checkContent(t, clients[0], key, string(bytes.Repeat([]byte{byte(winner.Load() - 1)}, 5000)))
	}
}

// Writers of the same bytes are told apart as well: two that announce the same
// call must not both believe that they are the one to make it.
func oneEqualPutWins(t *testing.T, client func() store.Store) {
	clients := []store.Store{client(), client()}
	for round := range 10 {
		var won atomic.Int64
		runAtOnce(t, 16, func(i int) error {
			err := clients[i%2].PutIfAbsent(ctx, fmt.Sprintf("equal/%d", round), []byte("the same"))
			if err == nil {
				won.Add(1)
			} else if !errors.Is(err, store.ErrExists) {
				return err
			}
			return nil
		})
		if won.Load() != 1 {
			t.Fatalf("%d of 16 writers won", won.Load())
		}
	}
}

func oneReplaceWins(t *testing.T, client func() store.Store) {
	clients := []store.Store{client(), client()}
	must(t, clients[0].PutIfAbsent(ctx, "k", []byte("start")))
	for round := range 20 {
		o, err := clients[0].Head(ctx, "k")
		must(t, err)
		var winner atomic.Int64
		runAtOnce(t, 16, func(i int) error {
			err := clients[i%2].Replace(ctx, "k", fmt.Appendf(nil, "round %d: %d", round, i), o.ETag)
			switch {
			case err == nil && !winner.CompareAndSwap(0, int64(i)+1):
				return fmt.Errorf("%d and %d both won", i, winner.Load()-1)
			case err != nil && !errors.Is(err, store.ErrChanged):
				return err
			}
			return nil
		})
		checkContent(t, clients[1], "k", fmt.Sprintf("round %d: %d", round, winner.Load()-1))
	}
}

func neverInPart(t *testing.T, client func() store.Store) {
	reader, writer := client(), client()
	whole := bytes.Repeat([]byte("x"), 200_000)
	var done atomic.Bool
	runAtOnce(t, 2, func(i int) error {
		if i == 0 {
			defer done.Store(true)
			for n := range 100 {
				if err := writer.PutIfAbsent(ctx, fmt.Sprintf("p/%03d", n), whole); err != nil {
					return err
				}
			}
			return nil
		}
		for !done.Load() {
			objects, err := reader.List(ctx, "p/")
			if err != nil {
				return err
			}
			for _, o := range objects[max(0, len(objects)-2):] {
				data, err := reader.Get(ctx, o.Key)
				if err != nil {
					return err
				}
				if o.Size != int64(len(whole)) || !bytes.Equal(data, whole) {
					return fmt.Errorf("%s was seen with %d and %d of %d bytes", o.Key, o.Size, len(data), len(whole))
				}
			}
		}
		return nil
	})
}

func testCancelled(t *testing.T, client func() store.Store) {
	s := client()
	dead, cancel := context.WithCancel(ctx)
	cancel()
	is(t, s.PutIfAbsent(dead, "k", nil), context.Canceled)
	_, err := s.Get(ctx, "k")
	is(t, err, fs.ErrNotExist)
	_, err = s.List(dead, "")
	is(t, err, context.Canceled)
}

func noSharing(t *testing.T, client func() store.Store) {
	s := client()
	data := []byte("value")
	must(t, s.PutIfAbsent(ctx, "k", data))
	data[0] = 'X'
	got, err := s.Get(ctx, "k")
	must(t, err)
	got[1] = 'X'
	checkContent(t, s, "k", "value")
}

// runAtOnce runs n goroutines at once and reports their errors.
func runAtOnce(t *testing.T, n int, do func(i int) error) {
	t.Helper()
	errs := make([]error, n)
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	wg.Wait()
	must(t, errors.Join(errs...))
}
