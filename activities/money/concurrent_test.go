package money_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"roundtable/activities/money"
	"roundtable/analysis/lake/store"
)

// TestManyCallsAtOnce lets 64 callers in three processes spend a cap to its end.
func TestManyCallsAtOnce(t *testing.T) {
	store, err := store.NewLocal(t.TempDir())
	must(t, err)
	t.Cleanup(func() { must(t, store.Close()) })
	w := newWorld(store)
	most := amount(40_000, 400_000)
	c := w.config(caps(most.NanoUSD, most.Tokens), false)
	c.Now, c.Wait, c.Poll = time.Now, time.After, time.Millisecond
	var wg sync.WaitGroup
	for process := range 3 {
		a, err := money.Open(ctx, c)
		must(t, err)
		var callers sync.WaitGroup
		for caller := range 64 {
			if caller%3 == process {
				callers.Go(func() { spend(t, w, a, most, rand.New(rand.NewPCG(1, uint64(caller)))) })
			}
		}
		wg.Go(func() {
			callers.Wait()
			if err := a.Close(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	left := most.Sub(w.sum())
	if left.NanoUSD < 0 || left.NanoUSD > 100 {
		t.Fatalf("%v is left after everybody was refused up to 100", left)
	}
	c.Exclusive = true
	last, err := money.Open(ctx, c)
	must(t, err)
	if _, err := last.Reserve(ctx, left); err != nil {
		t.Error(err)
	}
}

// spend makes calls of at most 100 until one is refused.
func spend(t *testing.T, w *world, a *money.Account, most money.Amount, random *rand.Rand) {
	for {
		worst := amount(random.Int64N(100)+1, random.Int64N(100)+1)
		h, err := a.Reserve(ctx, worst)
		if errors.Is(err, money.ErrSpent) {
			return
		}
		if err != nil {
			t.Error(err)
			return
		}
		call := w.announce(worst)
		if sum := w.sum(); sum.NanoUSD > most.NanoUSD || sum.Tokens > most.Tokens {
			t.Errorf("%v may be billed, the cap is %v", sum, most)
		}
		billed := amount(random.Int64N(worst.NanoUSD+1), random.Int64N(worst.Tokens+1))
		w.answer(call, billed)
		h.Settle(billed)
	}
}

func BenchmarkReserveSettle(b *testing.B) {
	m := newMemory()
	w := newWorld(m)
	c := w.config(caps(1<<50, 1<<50), true)
	c.Now = time.Now
	a, err := money.Open(ctx, c)
	must(b, err)
	worst, billed := amount(1_000_000, 4000), amount(200_000, 900)
	b.ReportAllocs()
	for b.Loop() {
		h, err := a.Reserve(ctx, worst)
		if err != nil {
			b.Fatal(err)
		}
		h.Settle(billed)
	}
	b.ReportMetric(float64(m.puts)/float64(b.N), "writes/op")
}

// BenchmarkSpend spends a cap of 10,000 calls to its end, and says how many
// objects that writes.
func BenchmarkSpend(b *testing.B) {
	for _, processes := range []int{1, 4} {
		b.Run(fmt.Sprint(processes, " processes"), func(b *testing.B) {
			for b.Loop() {
				m := newMemory()
				w := newWorld(m)
				var all []*money.Account
				for range processes {
					all = append(all, w.open(b, caps(1_000_000, 1_000_000), processes == 1))
				}
				calls := 0
				for ; ; calls++ {
					h, err := w.reserve(all[calls%processes], amount(400, 400), 1)
					if err != nil {
						break
					}
					w.answer(w.announce(amount(400, 400)), amount(100, 100))
					h.Settle(amount(100, 100))
				}
				b.ReportMetric(float64(m.puts), "writes")
				b.ReportMetric(float64(calls), "calls")
			}
		})
	}
}
