package money

import "time"

// Hold is a reserved worst case. Exactly one of Settle, Release and Keep counts:
// the first. `defer hold.Keep()` right after Reserve makes every way out safe.
// A nil Hold is that of a campaign without a budget.
type Hold struct {
	account *Account
	worst   Amount
	epoch   int
	fence   time.Time
	done    bool
}

// Late says that the grant behind the hold has run out, so that another process
// may have counted the ledger without this call. Ask after the call is announced
// in the ledger and before it is made; if it is late, release it and reserve again.
func (h *Hold) Late() bool { return h != nil && isOver(h.account.config.Now(), h.fence) }

// isOver reports whether a time has come by either clock: by the wall clock, which other
// processes go by and which jumps while a laptop sleeps, or by what has passed, since
// the wall clock can be set back.
func isOver(now, until time.Time) bool {
	return !now.Before(until) || !now.Round(0).Before(until.Round(0))
}

// Settle charges what the call was billed and gives the rest back. Call it after
// the answer is stored. What was billed above the worst case is charged, too, and
// returned: the service does not keep to its own price or limit.
func (h *Hold) Settle(billed Amount) (over Amount) {
	if h == nil {
		return Amount{}
	}
	billed = atMost(largerOf(billed, Amount{}), Amount{maxAmount, maxAmount})
	over = largerOf(billed.Sub(h.worst), Amount{})
	h.endHold(billed, false)
	return over
}

// Release gives everything back. Only for a call that was certainly not billed.
func (h *Hold) Release() { h.endHold(Amount{}, false) }

// Keep leaves the worst case charged: whether the call was billed is not known.
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
