package bucket_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/bucket"
	"roundtable/analysis/lake/store/storetest"
)

func TestS3IsAStore(t *testing.T) {
	storetest.Run(t, stores(storetest.S3Server(t), 0))
}

func TestS3IsAStoreThroughFaults(t *testing.T) {
	p := startProxy(t, storetest.S3Server(t), everyFault()...)
	storetest.Run(t, stores(p.url, 2*time.Second))
	p.allHappened(t)
}

// Whatever goes wrong on the way, one of many writers is told that it has won.
func TestS3OneOf32WritersWins(t *testing.T) {
	p := startProxy(t, storetest.S3Server(t),
		fault{"lost response", 5, isConditional, lost},
		fault{"409", 7, isConditional, refusal(http.StatusConflict, "ConditionalRequestConflict")})
	clients := make([]*bucket.S3, 8)
	for i := range clients {
		clients[i] = openS3(t, p.url, "race", 0)
	}
	for round := range 5 {
		key := fmt.Sprintf("winner-%d", round)
		var won atomic.Int64
		var wg sync.WaitGroup
		for i := range 32 {
			wg.Go(func() {
				err := clients[i%8].PutIfAbsent(ctx, key, []byte("the same"))
				if err == nil {
					won.Add(1)
				} else if !errors.Is(err, store.ErrExists) {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("%d of 32 writers won", won.Load())
		}
	}
	p.allHappened(t)
}

// Our own write, whose response was lost, is a success; anybody else's is not.
func TestS3LostResponses(t *testing.T) {
	p := startProxy(t, storetest.S3Server(t), fault{"lost", 1, func(r *http.Request) bool {
		return isConditional(r) && !strings.Contains(r.URL.Path, "roundtable") && r.Header.Get("Amz-Sdk-Request") == "attempt=1; max=10"
	}, lost})
	s := openS3(t, p.url, "lost", 0)
	must(t, s.PutIfAbsent(ctx, "k", []byte("mine")))
	if err := s.PutIfAbsent(ctx, "k", []byte("mine")); !errors.Is(err, store.ErrExists) {
		t.Errorf("the same data from another call: %v", err)
	}
	first, err := s.Head(ctx, "k")
	must(t, err)
	must(t, s.Replace(ctx, "k", []byte("second"), first.ETag))
	if err := s.Replace(ctx, "k", []byte("third"), first.ETag); !errors.Is(err, store.ErrChanged) {
		t.Errorf("replacing what has changed: %v", err)
	}
	p.allHappened(t)
}

// A write whose outcome stays unknown is an error of neither kind, and what it
// may have stored stays.
func TestS3UnknownOutcome(t *testing.T) {
	p := startProxy(t, storetest.S3Server(t), fault{"lost", 1, func(r *http.Request) bool {
		return (isConditional(r) || isHead(r)) && strings.HasSuffix(r.URL.Path, "/k")
	}, lost})
	s := openS3(t, p.url, "unknown", 0)
	short, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	err := s.PutIfAbsent(short, "k", []byte("data"))
	if err == nil || errors.Is(err, store.ErrExists) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an unknown outcome is told as %v", err)
	}
	if n := p.requests(http.MethodDelete); n > 0 {
		t.Errorf("%d deletes after an unknown outcome", n)
	}
	got, err := s.Get(ctx, "k")
	must(t, err)
	if string(got) != "data" {
		t.Errorf("stored is %q", got)
	}
}

func TestS3LargeObjects(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 500 MB")
	}
	p := startProxy(t, storetest.S3Server(t),
		fault{"lost join", 2, isJoin, lost},
		fault{"503 part", 7, isWrite, refusal(http.StatusServiceUnavailable, "SlowDown")})
	s := openS3(t, p.url, "large", 0)
	data := bytes.Repeat([]byte("0123456789abcdef"), 65<<20/16)
	for round := range 2 {
		var won atomic.Int64
		var wg sync.WaitGroup
		key := fmt.Sprintf("dir/large-%d", round)
		for i := range 3 {
			wg.Go(func() {
				mine := bytes.Clone(data)
				mine[0] = byte(i)
				switch err := s.PutIfAbsent(ctx, key, mine); {
				case err == nil:
					won.Add(1 << (8 * i))
				case !errors.Is(err, store.ErrExists):
					t.Error(err)
				}
			})
		}
		wg.Wait()
		got, err := s.Get(ctx, key)
		must(t, err)
		if won.Load() != 1<<(8*got[0]) || !bytes.Equal(got[1:], data[1:]) {
			t.Errorf("winners %06x, stored is that of writer %d", won.Load(), got[0])
		}
	}
	first, err := s.Head(ctx, "dir/large-0")
	must(t, err)
	must(t, s.Replace(ctx, "dir/large-0", data, first.ETag))
	if err := s.Replace(ctx, "dir/large-0", data, first.ETag); !errors.Is(err, store.ErrChanged) {
		t.Errorf("replacing what has changed: %v", err)
	}
	if n := s.Uploads(t); n > 0 {
		t.Errorf("%d uploads were left behind", n)
	}
	p.allHappened(t)
}

// The server has dropped the parts: because it has joined them, or because a
// conflict ended the upload, which then begins again.
func TestS3LargeObjectsDroppedParts(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 500 MB")
	}
	endpoint := storetest.S3Server(t)
	dropped := refusal(http.StatusNotFound, "NoSuchUpload")
	for name, do := range map[string]func(*faultyProxy, http.ResponseWriter, *http.Request){
		"joined": func(p *faultyProxy, w http.ResponseWriter, r *http.Request) {
			p.carriedOut(r)
			dropped(p, w, r)
		},
		"dropped":  dropped,
		"conflict": refusal(http.StatusConflict, "ConditionalRequestConflict"),
	} {
		p := startProxy(t, endpoint, fault{name, 1, first(isJoin), do})
		s := openS3(t, p.url, name, 0)
		data := bytes.Repeat([]byte(name), 65<<20/len(name))
		must(t, s.PutIfAbsent(ctx, "k", data))
		got, err := s.Get(ctx, "k")
		must(t, err)
		if !bytes.Equal(got, data) {
			t.Errorf("%s: %d other bytes are stored", name, len(got))
		}
		if n := s.Uploads(t); n > 0 {
			t.Errorf("%s: %d uploads were left behind", name, n)
		}
		p.allHappened(t)
	}
}

// What others put next to the lake's objects does not show.
func TestS3ForeignObjects(t *testing.T) {
	endpoint := storetest.S3Server(t)
	outer, inner := openS3(t, endpoint, "", 0), openS3(t, endpoint, "a/b", 0)
	must(t, inner.PutIfAbsent(ctx, "x/y", []byte("1")))
	must(t, outer.PutIfAbsent(ctx, "a/bc/x/y", []byte("2")))
	objects, err := inner.List(ctx, "")
	must(t, err)
	if len(objects) != 1 || objects[0].Key != "x/y" {
		t.Errorf("below the prefix there is %v", objects)
	}
}

// A list comes in pages of a thousand.
func TestS3ListsEveryPage(t *testing.T) {
	const objects = 1100
	s := openS3(t, storetest.S3Server(t), "many", 0)
	putMany(t, s, objects)
	all, err := s.List(ctx, "d/")
	must(t, err)
	for i, o := range all {
		if o.Key != many(i) {
			t.Fatalf("object %d of the list is %s, want %s", i, o.Key, many(i))
		}
	}
	if len(all) != objects {
		t.Errorf("%d of %d objects are listed", len(all), objects)
	}
}

func many(i int) string { return fmt.Sprintf("d/%02d/%05d", i/1000, i) }

func putMany(t testing.TB, s store.Store, n int) {
	t.Helper()
	var g errgroup.Group
	g.SetLimit(64)
	for i := range n {
		g.Go(func() error { return s.PutIfAbsent(ctx, many(i), []byte("some bytes")) })
	}
	must(t, g.Wait())
}

// A bucket that has gone is not a missing object: that would buy answers again.
func TestS3BucketHasGone(t *testing.T) {
	gone := false
	server := answers(t, func(w http.ResponseWriter, r *http.Request) {
		if gone {
			refuse(w, r, http.StatusNotFound, "NoSuchBucket")
			return
		}
		healthy(w, r)
	})
	s := openS3(t, server, "x", 0)
	gone = true
	if _, err := s.Get(ctx, "k"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get says %v", err)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
