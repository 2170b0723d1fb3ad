package throttle

import (
	"math"
	"time"
)

// window is the number of calls at once that the service seems to take, below 1 less than a call in
// the time of an answer. It is the only thing that adapts.
type window struct {
	limit           float64
	peak            float64 // what it comes back to; 0 before the first cut
	sure            bool    // the peak was reached step by step
	answers         float64 // since the cut, while calls waited: its growth follows them
	cuts            int     // so far
	number          int     // calls since the last one,
	passed, refused int     // of them
	excess          float64 // refusals over what is borne
	stray           mean    // share of calls refused well below the peak
	trip            mean    // seconds that an answer takes
	gap             mean    // seconds from answer to answer, while calls waited
	last            time.Time
	deadline        float64 // seconds that the last call may take; 0 if any
	pace            bucket
	gate            gate
}

// gate closes the account when nothing gets through.
type gate struct {
	since    time.Time // zero when open
	until    time.Time // when one call is tried; then, until when it may be refused
	told     bool      // by the service
	probe    *Pass     // that call
	tries    int       // closings without an answer between
	refusal  time.Duration
	closed   time.Time // for the last time; zero if some time since then tells nothing of the limit
	taken    float64   // calls since then that were not refused
	closings int       // so far
}

const (
	firstWindow   = 16
	firstTrial    = 64 // before the first answer
	mostAtOnce    = 1 << 16
	doubling      = 200 * time.Millisecond
	inTime        = 0.7  // of the deadline
	kept          = 0.8  // of the peak, after a cut
	least         = 0.25 // of the window that was too large becomes the peak,
	most          = 0.95 // and at most this: a share of refusals is borne until then
	below         = 0.9  // of the peak: refusals are not due to the window
	strayMost     = 0.15 // share of calls that is borne there,
	strayAlarm    = 4    // and refusals above it
	nearMost      = 0.02 // the same near the peak, beside the share measured below
	nearAlarm     = 1.5
	callsToPeak   = 400
	cycleTime     = 8                // seconds, or the time of an answer, at least
	callsUnsure   = 30               // to a peak that was estimated
	longest       = 10 * time.Minute // a service that asks for more is asked again
	longestTrial  = 5 * time.Second
	longestMoment = 2 * time.Second // a longer Retry-After is of a limit over a time, as a minute
)

// callsAtOnce returns the number of calls at once.
func (w *window) callsAtOnce() int64 { return int64(math.Ceil(w.limit)) }

func (w *window) isOpen() bool { return w.gate.since.IsZero() }

func (w *window) open() { w.gate.since, w.gate.probe = time.Time{}, nil }

// isBelow reports whether the window is so far below its peak that refusals are not due to its size.
func (w *window) isBelow() bool { return w.limit < below*w.peak || w.peak == 0 }

// countsStray reports whether refusals are counted as chance.
func (w *window) countsStray() bool { return w.sure && w.isBelow() }

// isDoubling reports whether the window grows with time.
func (w *window) isDoubling() bool {
	return w.isOpen() && w.peak == 0 && w.refused == 0 && w.limit < mostAtOnce
}

// closedUntil reports whether the account is closed, and until when.
func (w *window) closedUntil(now time.Time) Wait {
	if g := &w.gate; !w.isOpen() && now.Before(g.until) {
		return Wait{For: Provider, Limit: w.callsAtOnce(), Since: g.since, Told: g.told, Until: g.until}
	}
	return Wait{}
}

// blocksUntil reports whether one more call of an account that is not closed is too many, and until when if
// that is known.
func (w *window) blocksUntil(inFlight int, now time.Time) Wait {
	wait := Wait{For: Provider, Limit: w.callsAtOnce()}
	switch {
	case w.gate.probe != nil: // it is not refused
		w.open()
	case !w.isOpen():
		return Wait{} // it is tried
	}
	if inFlight >= int(wait.Limit) {
		if w.isDoubling() {
			wait.Until = now.Add(doubling / 20)
		}
		return wait
	}
	spread := w.trip.value
	if w.peak == 0 {
		spread = min(spread, 1)
	}
	rate := 1.1 * w.limit / spread // answers that take longer leave gaps
	w.pace.setRate(rate, max(1, rate/8), now)
	if wait.Until = w.pace.waitFor(1, now); wait.Until.IsZero() {
		return Wait{}
	}
	return wait
}

// start counts a call.
func (w *window) start(p *Pass, now time.Time) {
	w.deadline = p.call.Deadline.Seconds()
	w.number++
	w.gate.taken++
	p.closing, p.cut, p.number = w.gate.closings, w.cuts, w.number
	borne, _ := w.borne()
	w.excess = max(0, w.excess-borne)
	if w.countsStray() {
		w.stray.add(0)
	}
	if w.isOpen() { // or an hour of single calls would have to be made up for
		w.pace.level--
		return
	}
	w.gate.probe, w.gate.until = p, now.Add(min(max(4*w.gate.refusal, 50*time.Millisecond), longestTrial))
}

// borne returns the share of calls whose refusal is borne, and how many more.
func (w *window) borne() (share, alarm float64) {
	if w.isBelow() {
		return strayMost, strayAlarm
	}
	stray := min(w.stray.value, strayMost)
	return nearMost + 1.5*stray, nearAlarm + 85*stray
}

// grow doubles the window while calls wait and nothing was refused: refusals come at once, answers late.
func (w *window) grow(d time.Duration, inFlight int) {
	if w.isDoubling() {
		ahead := max(w.limit, firstWindow+2*float64(inFlight)) // what is not tried is not known
		w.limit = max(w.limit, min(w.limit*math.Exp2(d.Seconds()/doubling.Seconds()), ahead, w.mostInTime()))
	}
}

// mostInTime returns how many calls at once are answered before their deadline by a
// service that works on few of them and lets the others wait: it answers no faster for
// more (Little's law).
func (w *window) mostInTime() float64 {
	switch {
	case w.gap.n == 0:
		return firstTrial
	case w.deadline == 0:
		return mostAtOnce
	}
	return min(mostAtOnce, max(1, inTime*w.deadline/w.gap.value))
}

// countAnswer lets the window grow if calls wait for it.
func (w *window) countAnswer(p *Pass, held bool, now time.Time) {
	took := max(now.Sub(p.entered).Seconds(), 1e-6) // or the window could become zero and stay so
	if w.trip.n == 0 && w.peak > 0 {                // it is a rate that was measured
		w.peak, w.limit = w.peak*took, w.limit*took
	}
	w.trip.add(took)
	if held = held && w.isOpen(); held {
		since := w.last
		if since.Before(p.entered) {
			since = p.entered
		}
		w.gap.add(now.Sub(since).Seconds())
	}
	w.last = now
	w.gate.tries = 0
	if p.cut == w.cuts {
		w.passed++
	}
	switch {
	case p == w.gate.probe:
		w.open()
	case !w.isOpen():
		if !w.gate.told && w.gate.probe == nil { // it has left a place
			w.gate.until = now
		}
	case !held:
		w.gate.closed = time.Time{} // what passes says nothing of the limit
	case w.peak == 0:
		w.limit += min(1, w.limit/8)
	default:
		w.answers++
		toPeak := float64(callsToPeak)
		if !w.sure {
			toPeak = callsUnsure
		}
		x := w.answers/max(toPeak, w.peak*max(1, cycleTime/w.trip.value)) - 1
		w.limit = w.peak * (1 + (1-kept)*x*x*x)
	}
	if w.gap.n >= firstWindow/2 {
		w.limit = min(w.limit, w.mostInTime())
	}
}

// countRefusal cuts the window if refusals add up, or closes the account if nothing gets through.
func (w *window) countRefusal(p *Pass, retryAfter time.Duration, inFlight int, now time.Time) {
	w.gate.refusal = now.Sub(p.entered)
	if p.closing == w.gate.closings {
		w.gate.taken--
	}
	if !w.isOpen() {
		if p == w.gate.probe || retryAfter > 0 {
			w.close(p, retryAfter, now)
		}
		return
	}
	if p.cut < w.cuts {
		return // it began before the last cut, which answers it
	}
	if w.countsStray() && w.stray.n > 0 { // it was counted as one that passes
		w.stray.value += 1 / float64(w.stray.n)
	}
	if w.peak == 0 { // it may have grown ahead of the calls
		w.limit = min(w.limit, max(firstWindow, float64(inFlight+1)))
	}
	w.excess++
	w.refused++
	if w.passed == 0 && w.refused >= p.number || w.trip.n == 0 { // all before it, or no answer came yet
		w.close(p, retryAfter, now)
	} else if _, alarm := w.borne(); w.excess > alarm {
		w.cut(1 - float64(w.refused-1)/float64(p.number))
	}
}

// cut cuts the window, of whose calls such a share passed.
func (w *window) cut(passed float64) {
	if w.sure = !w.isBelow(); !w.sure {
		w.stray = mean{} // they were too many
	}
	w.setPeak(min(max(passed, least), most) * w.limit)
	w.cuts++
	w.number, w.passed, w.refused, w.excess = 0, 0, 0, 0
	w.pace.level = min(w.pace.level, 0)
}

// setPeak sets what the window comes back to, a call a minute or more.
func (w *window) setPeak(peak float64) {
	w.peak, w.answers = max(peak, w.trip.value/60), 0
	w.limit = kept * w.peak
}

// close closes the account for as long as the service says, and a little longer, because others of
// it wait as well; else for a second, and twice as long each time that follows.
func (w *window) close(p *Pass, retryAfter time.Duration, now time.Time) {
	g := &w.gate
	d := min(retryAfter, longest)
	if retryAfter > 0 {
		d += p.jitter(d/10 + 10*time.Millisecond)
	} else {
		d = time.Second / 2 << min(g.tries, 2)
		d += p.jitter(d)
		g.tries++
	}
	if w.isOpen() {
		g.since = now
		if retryAfter > longestMoment && g.taken > 0 && !g.closed.IsZero() { // a limit that is used up
			if took := g.taken / now.Sub(g.closed).Seconds() * w.trip.value; took < w.limit {
				w.setPeak(took / most)
			}
		}
	}
	if g.probe = nil; now.Add(d).After(g.until) {
		g.until, g.told = now.Add(d), retryAfter > 0
	}
	w.excess, g.closed, g.taken, g.closings = 0, now, 0, g.closings+1
	if retryAfter > time.Minute { // it is down, or asks for more than its limit a minute does
		g.closed = time.Time{}
	}
}

// tryNow lets a call be tried now: the operator knows better than the service's word.
func (w *window) tryNow(now time.Time) {
	if !w.isOpen() && w.gate.probe == nil {
		w.gate.until, w.gate.told, w.gate.tries = now, false, 0
	}
}

// passOn lets another call be tried if p told nothing; if the service has taken it, the others follow.
func (w *window) passOn(p *Pass, taken bool, now time.Time) {
	switch {
	case p != w.gate.probe:
	case taken:
		w.open()
	default:
		w.gate.probe, w.gate.until = nil, now
	}
}
