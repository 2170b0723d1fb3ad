package money

import "time"

// Hold is a reserved worst case. Of Settle, Release and Keep only the first call counts, so `defer
// hold.Keep()` right after Reserve covers every way out. All methods of a nil Hold, that of a
// campaign without a budget, do nothing.
type Hold struct {
	account *Account
	worst   Amount
	epoch   int
	fence   time.Time
	done    bool
}

// IsLate reports whether the grant behind the hold has run out, so that another process may have
// counted the ledger without this call. Ask after writing the intent and before making the call; if
// late, release the hold and reserve again.
func (h *Hold) IsLate() bool { return h != nil && isOver(h.account.config.Now(), h.fence) }

// isOver reports whether a time has come by either clock: by the wall clock, which other
// processes go by and which jumps while a laptop sleeps, or by what has passed, since
// the wall clock can be set back.
func isOver(now, until time.Time) bool {
	return !now.Before(until) || !now.Round(0).Before(until.Round(0))
}

// Settle charges what the call was billed and returns the rest to the budget. Call it after the
// answer is stored. Anything billed above the worst case is charged too and returned as over: the
// service broke its own price or limit.
func (h *Hold) Settle(billed Amount) (over Amount) {
	if h == nil {
		return Amount{}
	}
	billed = atMost(largerOf(billed, Amount{}), Amount{maxAmount, maxAmount})
	over = largerOf(billed.Sub(h.worst), Amount{})
	h.endHold(billed, false)
	return over
}

// Release returns the whole amount. Call it only if the call was certainly not billed.
func (h *Hold) Release() { h.endHold(Amount{}, false) }

// Keep charges the worst case: it is not known whether the call was billed.
func (h *Hold) Keep() {
	if h != nil {
		h.endHold(h.worst, true)
	}
}

func (h *Hold) endHold(billed Amount, rough bool) {
	if h == nil {
		return
	}
	a := h.account
	a.mu.Lock()
	defer a.mu.Unlock()
	if h.done {
		return
	}
	h.done = true
	over := largerOf(billed.Sub(h.worst), Amount{})
	a.over = a.over.Add(over)
	if h.epoch == a.epoch {
		a.holds--
		a.held = a.held.Sub(h.worst)
		a.used = a.used.Add(billed)
		a.rough = a.rough || rough
	} else { // the last recount has charged its worst case
		a.older--
		a.used = a.used.Add(over)
		a.rough = a.rough || billed != h.worst
	}
	a.wakeWaiting()
}
