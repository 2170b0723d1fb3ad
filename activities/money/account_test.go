package money_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"roundtable/activities/money"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func reserve(t testing.TB, w *world, a *money.Account, nano int64) *money.Hold {
	t.Helper()
	h, err := w.reserve(a, amount(nano, nano), 100)
	must(t, err)
	return h
}

func spent(t testing.TB, w *world, a *money.Account, nano int64) *money.SpentError {
	t.Helper()
	_, err := w.reserve(a, amount(nano, nano), 100)
	var e *money.SpentError
	if !errors.As(err, &e) || !errors.Is(err, money.ErrSpent) {
		t.Fatalf("reserving %d: %v, want that the budget is spent", nano, err)
	}
	return e
}

func TestSettleReturnsTheRest(t *testing.T) {
	w := newWorld(newMemory())
	a := w.open(t, caps(100, 100), true)
	h := reserve(t, w, a, 100)
	call := w.announce(amount(100, 100))
	w.answer(call, amount(30, 40))
	if over := h.Settle(amount(30, 40)); over != (money.Amount{}) {
		t.Errorf("%v over", over)
	}
	h.Keep() // the first end counts
	if s := a.Standing(); s.Spent != amount(30, 40) || s.Held != (money.Amount{}) {
		t.Errorf("standing %+v", s)
	}
	reserve(t, w, a, 60).Release()
	w.announce(amount(60, 60))
	reserve(t, w, a, 60).Keep()
	if s := a.Standing(); s.Spent != amount(90, 100) {
		t.Errorf("standing %+v", s)
	}
	h, err := a.Reserve(ctx, amount(10, 0)) // money is left, and no token is wanted
	must(t, err)
	h.Release()
	e := spent(t, w, a, 1)
	if e.Wanted != amount(1, 1) || e.Flags() != "--tokens N" {
		t.Errorf("%v", e)
	}
}

func TestOverrunIsCharged(t *testing.T) {
	w := newWorld(newMemory())
	a := w.open(t, caps(100, 1000), true)
	h := reserve(t, w, a, 10)
	w.answer(w.announce(amount(10, 10)), amount(95, 10))
	if over := h.Settle(amount(95, 10)); over != amount(85, 0) {
		t.Errorf("over by %v", over)
	}
	if s := a.Standing(); s.Over != amount(85, 0) || s.Spent != amount(95, 10) {
		t.Errorf("standing %+v", s)
	}
	spent(t, w, a, 6)
	reserve(t, w, a, 5)
}

func TestReserveWaitsForHolds(t *testing.T) {
	w := newWorld(newMemory())
	a := w.open(t, caps(10, 10), true)
	first := reserve(t, w, a, 8)
	w.announce(amount(8, 8))
	if _, err := w.reserve(a, amount(5, 5), 3); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want that it waits for the open hold", err)
	}
	got := make(chan *money.Hold)
	go func() {
		h, err := a.Reserve(ctx, amount(5, 5))
		if err != nil {
			t.Error(err)
		}
		got <- h
	}()
	w.answer(1, amount(1, 1))
	first.Settle(amount(1, 1))
	(<-got).Release()
	// With 1 charged for certain, 10 never fit.
	spent(t, w, a, 10)
	spent(t, w, a, 11)
}

// An account that was opened alone keeps the grants of one that came later.
func TestNotAloneAnyMore(t *testing.T) {
	w := newWorld(newMemory())
	alone := w.open(t, caps(10, 10), true)
	other := w.open(t, caps(10, 10), false)
	h := reserve(t, w, other, 8) // not in the ledger yet
	if _, err := w.reserve(alone, amount(5, 5), 3); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want that it waits for the other's hold", err)
	}
	h.Release()
	must(t, other.Close(ctx))
	reserve(t, w, alone, 5)
}

func TestCapsAtRunTime(t *testing.T) {
	w := newWorld(newMemory())
	a := w.open(t, caps(10, 10), true)
	h := reserve(t, w, a, 10)
	got := make(chan error)
	go func() {
		_, err := a.Reserve(ctx, amount(10, 10))
		got <- err
	}()
	a.SetCaps(caps(20, 20))
	must(t, <-got)
	a.SetCaps(caps(5, 5))
	if e := spent(t, w, a, 6); *e.Caps.NanoUSD != 5 {
		t.Errorf("%+v", e)
	}
	h.Release()
	a.SetCaps(money.Caps{})
	reserve(t, w, a, 1<<50)
}

func TestFirstComeFirstServed(t *testing.T) {
	w := newWorld(newMemory())
	a := w.open(t, caps(10, 10), true)
	h := reserve(t, w, a, 10)
	w.announce(amount(10, 10))
	order := make(chan int, 2)
	held := make(chan *money.Hold, 2)
	wait := func(i int, nano int64) {
		before := w.waiting()
		go func() {
			h, err := a.Reserve(ctx, amount(nano, nano))
			if err != nil {
				t.Error(err)
			}
			order <- i
			held <- h
		}()
		for i == 1 && w.waiting() == before { // the first is at the head when it waits
			time.Sleep(time.Millisecond)
		}
	}
	wait(1, 9) // the large one is not passed by
	wait(2, 2) // not beside it: who is served is one of them
	w.answer(1, amount(0, 0))
	h.Settle(amount(0, 0))
	if first := <-order; first != 1 {
		t.Errorf("%d was served first", first)
	}
	(<-held).Release()
	<-order
	(<-held).Release()
}

func TestCrashLosesNothing(t *testing.T) {
	w := newWorld(newMemory())
	a := w.open(t, caps(100, 100), false)
	for range 3 {
		reserve(t, w, a, 10)
		w.announce(amount(10, 10))
	}
	reserve(t, w, a, 40) // dies before it announces the call
	b := w.open(t, caps(100, 100), false)
	before := w.clock()
	h := reserve(t, w, b, 70)
	if waited := w.clock().Sub(before); waited < 9*time.Minute {
		t.Errorf("the dead process's grant was taken after %v", waited)
	}
	w.announce(amount(70, 70))
	h.Settle(amount(70, 70))
	if w.counts != 2 {
		t.Errorf("%d counts of the ledger, want one at first and one for the dead grant", w.counts)
	}
	spent(t, w, b, 1)

	c := w.open(t, caps(101, 101), true) // alone: at once
	before = w.clock()
	reserve(t, w, c, 1)
	if w.clock() != before {
		t.Error("an exclusive account waits for others")
	}
}

// A laptop that slept, or a clock that was set: the next hold is in time.
func TestClockSteps(t *testing.T) {
	for name, step := range map[string]time.Duration{"forward": 26 * time.Hour, "back": -26 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(newMemory())
			a := w.open(t, caps(100, 100), true)
			reserve(t, w, a, 10).Settle(amount(10, 10))
			w.announce(amount(10, 10))
			w.mu.Lock()
			w.now = w.now.Add(step)
			w.mu.Unlock()
			before := w.clock()
			h := reserve(t, w, a, 60)
			if h.IsLate() || w.clock() != before {
				t.Errorf("late: %v, waited %v", h.IsLate(), w.clock().Sub(before))
			}
		})
	}
}

// A grant is over by the wall clock, though nothing has passed (a laptop slept), and by
// what has passed, though the wall clock was set back.
func TestEitherClock(t *testing.T) {
	now := time.Now() // with both
	wall := func(d time.Duration) time.Time { return now.Round(0).Add(d) }
	slept := jump(t, now.Add(time.Second), time.Hour) // a second has passed, and an hour by the wall clock
	for name, c := range map[string]struct {
		now, until time.Time
		over       bool
	}{
		"both in time":   {now, now.Add(time.Minute), false},
		"both over":      {now.Add(time.Minute), now, true},
		"the wall alone": {wall(time.Hour), now.Add(time.Minute), true},
		"slept":          {slept, now.Add(time.Minute), true},
		"set back":       {wall(-time.Hour), now.Add(time.Minute), false},
		"set back late":  {jump(t, now.Add(2*time.Minute), -time.Hour), now.Add(time.Minute), true},
	} {
		if got := money.IsOver(c.now, c.until); got != c.over {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// jump returns a time whose wall clock has jumped while its monotonic one has not, which only
// the system makes: the seconds of package time's representation are changed in place.
func jump(t *testing.T, at time.Time, d time.Duration) time.Time {
	t.Helper()
	moved := at
	wall := (*uint64)(unsafe.Pointer(&moved)) // the first field: a flag, 33 bits of seconds, 30 of nanoseconds
	*wall = uint64(int64(*wall) + int64(d/time.Second)<<30)
	if moved.Sub(at) != 0 || moved.Round(0).Sub(at.Round(0)) != d {
		t.Fatalf("package time represents times in another way: %v is %v", at, moved)
	}
	return moved
}

func TestLate(t *testing.T) {
	w := newWorld(newMemory())
	a := w.open(t, caps(100, 100), false)
	h := reserve(t, w, a, 10)
	if h.IsLate() {
		t.Error("late at once")
	}
	w.pass(10 * time.Minute)
	if !h.IsLate() {
		t.Error("not late after the grant has expired")
	}
	h.Release()
	if reserve(t, w, a, 10).IsLate() {
		t.Error("a new grant is late")
	}
}

// Machines whose clocks are far apart spend no more than the cap: a grant ends by the clock of who
// waits for it, counted from when it was read.
func TestClocksApart(t *testing.T) {
	for _, ahead := range []time.Duration{-50 * time.Minute, 0, 50 * time.Minute} {
		w := newWorld(newMemory())
		a := w.open(t, caps(100, 100), false)
		h := reserve(t, w, a, 60) // and it is not announced yet
		c := w.config(caps(100, 100), false)
		c.Now = func() time.Time { return w.clock().Add(ahead) }
		b, err := money.Open(ctx, c)
		must(t, err)
		before := w.clock()
		reserve(t, w, b, 60)
		if waited := w.clock().Sub(before); !h.IsLate() || waited > 11*time.Minute {
			t.Errorf("%s ahead: after %s both have reserved, late %t", ahead, waited, h.IsLate())
		}
	}
}

func TestTwoOwnersShare(t *testing.T) {
	w := newWorld(newMemory())
	a, b := w.open(t, caps(64, 64), false), w.open(t, caps(64, 64), false)
	ha, hb := reserve(t, w, a, 20), reserve(t, w, b, 20)
	for i, h := range []*money.Hold{ha, hb} {
		w.announce(amount(20, 20))
		w.answer(i+1, amount(5, 5))
		h.Settle(amount(5, 5))
	}
	// What b was granted and does not use comes back when it closes.
	must(t, b.Close(ctx))
	before := w.clock()
	reserve(t, w, a, 54)
	if w.clock() != before {
		t.Error("waited though nothing was open")
	}
	if _, err := b.Reserve(ctx, amount(1, 1)); !errors.Is(err, money.ErrClosed) {
		t.Errorf("reserve from a closed account: %v", err)
	}
}

// TestIdleProcess: what a process does not use comes to the others long before its grant ends.
func TestIdleProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(newMemory())
		c := w.config(caps(3200, 3200), false)
		c.Now, c.Wait, c.Idle = time.Now, time.After, 10*time.Second
		a, err := money.Open(ctx, c)
		must(t, err)
		b, err := money.Open(ctx, c)
		must(t, err)
		long, err := a.Reserve(ctx, amount(100, 100))
		must(t, err)
		short, err := a.Reserve(ctx, amount(100, 100))
		must(t, err)
		short.Release()

		began := time.Now()
		h, err := b.Reserve(ctx, amount(3100, 3100)) // all but what is under way
		must(t, err)
		h.Release()
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("it waited %s for what nobody used", took)
		}
		time.Sleep(time.Minute)
		long.Release()
		time.Sleep(15 * time.Second)
		began = time.Now()
		h, err = b.Reserve(ctx, amount(3200, 3200)) // what a late answer has left, too
		must(t, err)
		h.Release()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it waited %s for what a call has left", took)
		}
		must(t, a.Close(ctx))
		must(t, b.Close(ctx))
	})
}

func TestIdleGrantsAreGivenBack(t *testing.T) {
	w := newWorld(newMemory())
	a, b := w.open(t, caps(3200, 3200), false), w.open(t, caps(3200, 3200), false)
	reserve(t, w, a, 1).Release() // both have a share now
	reserve(t, w, b, 1).Release()
	if _, err := w.reserve(a, amount(3150, 3150), 0); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want that it waits for the other's share", err)
	}
	before := w.clock()
	reserve(t, w, b, 3150)
	if w.clock() != before {
		t.Error("the one that waits kept its own share")
	}
}
