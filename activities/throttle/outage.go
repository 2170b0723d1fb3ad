package throttle

import (
	"time"

	"roundtable/activities/failure"
)

// outage is a time in which nothing gets through. All calls wait, for as long as the
// service says or for a short time that grows; then one goes first.
type outage struct {
	until   time.Time // no call before it
	closed  time.Time // when that was decided
	told    bool      // by the service
	first   bool      // one has gone first
	fails   int       // calls that failed since then
	began   time.Time // the first failure since which no call that began was answered
	starts  int       // calls since then
	before  window    // as it was then
	tries   int       // waits without an answer between; 0 if there is no outage
	failure mean      // seconds that it takes
}

const (
	fewestFailures = 4
	longestTold    = 10 * time.Minute // a service that asks for more is asked again
	longestGuess   = 4 * time.Second
)

func (o *outage) countStart(now time.Time) {
	o.starts++
	switch {
	case o.tries == 0:
	case o.first: // the first was not refused in time
		o.tries, o.fails, o.first = 0, 0, false
	default:
		usual := time.Duration(4 * o.failure.valueOr(0.25) * float64(time.Second))
		o.first, o.until = true, now.Add(min(max(usual, 50*time.Millisecond), 5*time.Second))
	}
}

// countAnswer ends the outage, but for an answer to an earlier call if the service has
// said how long it lasts.
func (o *outage) countAnswer(entered, now time.Time) {
	if entered.After(o.began) {
		o.fails = 0
	}
	if o.told && o.tries > 0 && entered.Before(o.closed) {
		return
	}
	if o.tries, o.first = 0, false; now.Before(o.until) {
		o.until = now
	}
}

// countFailure begins an outage, or makes it longer, if three of four calls have failed
// since one failed and none that began after it was answered.
func (o *outage) countFailure(entered, now time.Time, retryAfter time.Duration, drawn failure.Jitter, w *window) {
	o.failure.add(now.Sub(entered).Seconds())
	if o.fails == 0 {
		o.began, o.starts, o.before = now, 0, *w
	}
	if o.fails++; o.fails < fewestFailures || 4*o.fails < 3*o.starts || now.Before(o.until) && !o.first {
		return
	}
	d := min(retryAfter, longestTold)
	if o.told = d > 0; o.told { // a little longer, because others of the account wait as well
		d += drawn(d/10 + 10*time.Millisecond)
	} else {
		d = min(time.Second<<min(o.tries, 6), longestGuess)
		d = d/2 + drawn(d/2)
	}
	o.until, o.closed, o.first = now.Add(d), now, false
	if o.tries++; o.tries == 1 { // the cuts meanwhile were in error
		cuts := w.cuts
		*w = o.before
		w.cuts = cuts
		w.collapse(0)
	}
}
