package store_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
)

const leaseKey = "lake/_campaigns/c/lock"

func takeLease(ctx context.Context, s store.Store, name, place string) (held context.Context, l *store.Lease, after time.Duration, waited string, err error) {
	began := time.Now()
	held, l, err = store.TakeLease(ctx, s, leaseKey, store.Holder{Name: name, Place: place}, func(h store.Holder) { waited = h.Name })
	return held, l, time.Since(began), waited, err
}

// A lease that is renewed is refused within a few seconds; one that is released, or whose
// holder was at the same place, is taken at once; any other when it is stale.
func TestLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.NewMemory(map[string]string{leaseKey: "4711 host\n"}) // a lock of a folder, copied
		held, first, after, _, err := takeLease(t.Context(), s, "first", "here")
		if err != nil || after > 0 {
			t.Fatalf("after %s: %v", after, err)
		}
		time.Sleep(time.Hour)
		if held.Err() != nil {
			t.Fatal("it was lost though it was renewed")
		}
		if _, _, after, waited, err := takeLease(t.Context(), s, "second", "there"); !errors.Is(err, store.ErrLeased) || after > 7*time.Second || waited != "first" {
			t.Errorf("after %s, waiting for %q: %v", after, waited, err)
		}
		if err := first.Close(); err != nil || held.Err() == nil {
			t.Fatal(err)
		}
		killed, end := context.WithCancel(t.Context())
		_, _, after, _, err = takeLease(killed, s, "second", "there")
		if err != nil || after > 0 {
			t.Fatalf("after it was released: after %s: %v", after, err)
		}
		end()
		synctest.Wait()
		killed, end = context.WithCancel(t.Context())
		if _, _, after, _, err = takeLease(killed, s, "third", "there"); err != nil || after > 0 {
			t.Fatalf("at the same place: after %s: %v", after, err)
		}
		end()
		synctest.Wait()
		_, l, after, waited, err := takeLease(t.Context(), s, "fourth", "elsewhere")
		if err != nil || after < 30*time.Second || after > 32*time.Second || waited != "third" {
			t.Fatalf("of a process that was killed: after %s, waiting for %q: %v", after, waited, err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// stopping is a store that stands still for a process, as one that is stopped by a signal.
type stopping struct {
	store.Store
	still chan struct{}
}

func (s stopping) Head(ctx context.Context, key string) (store.Object, error) {
	<-s.still
	return s.Store.Head(ctx, key)
}

// A process that stood still learns at its next renewal that another one has its work, and
// leaves that one's lease alone.
func TestLeaseLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.NewMemory(map[string]string{})
		still := make(chan struct{}, 1)
		still <- struct{}{}
		held, old, _, _, err := takeLease(t.Context(), stopping{s, still}, "old", "")
		if err != nil {
			t.Fatal(err)
		}
		now, l, after, _, err := takeLease(t.Context(), s, "new", "")
		if err != nil || after < 30*time.Second {
			t.Fatalf("after %s: %v", after, err)
		}
		close(still)
		<-held.Done()
		if !errors.Is(context.Cause(held), store.ErrLeaseLost) {
			t.Errorf("it ended for %v", context.Cause(held))
		}
		if err := old.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute)
		if now.Err() != nil {
			t.Error("the new one was lost")
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Of many that come at once one gets it.
func TestLeaseRace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := storetest.NewMemory(map[string]string{})
		got := make(chan *store.Lease, 8)
		for range 8 {
			go func() {
				_, l, _, _, _ := takeLease(t.Context(), s, "one", "")
				got <- l
			}()
		}
		var holders []*store.Lease
		for range 8 {
			if l := <-got; l != nil {
				holders = append(holders, l)
			}
		}
		if len(holders) != 1 {
			t.Fatalf("%d hold it", len(holders))
		}
		if err := holders[0].Close(); err != nil {
			t.Error(err)
		}
	})
}
