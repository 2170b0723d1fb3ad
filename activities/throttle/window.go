package throttle

import (
	"math"
	"time"
)

// window is the number of calls at once that the service seems to take. It is
// the only thing that adapts. Calls are also spread over a round trip, so it is
// a rate too, where a rate is what the service limits: below 1 it means less
// than a call per round trip.
//
// Until the first overload it doubles in every round trip, and as long as nothing
// was refused in every 200 ms: refusals come at once, answers late. An overload sets
// it back to 85 %; from there it follows the cubic curve of RFC 9438: fast back,
// flat around the old value, then faster and faster. Refusals that come whatever
// its size are found out, and borne.
type window struct {
	limit    float64
	peak     float64 // what it comes back to; 0 before the first overload
	sure     bool    // the peak was reached step by step
	trip     mean    // seconds that an answer takes
	pace     bucket
	cost     mean // refusals of a cycle
	cuts     int  // so far
	cycle    cycle
	stray    stray
	gap      mean      // seconds from answer to answer, while calls waited
	last     time.Time // when the last answer came
	deadline float64   // seconds that the last call may take; 0 if any
}

// cycle is what happened since the last cut.
type cycle struct {
	started, refused int
	took             time.Duration
	held             time.Duration // of it, calls waited for the service
	open             time.Duration // of that, with the gate open
}

const (
	firstWindow = 16
	firstTrial  = 64  // before the first answer
	inTime      = 0.8 // of the deadline
	mostAtOnce  = 1 << 16
	kept        = 0.85    // of the peak, after an overload
	overshoot   = 0.95    // of the window at an overload: a share of refusals is borne until then
	smallest    = 1 / 60. // of the trip's seconds: a call a minute
	headroom    = 1.1     // of the pace: answers that take longer leave gaps
	doubling    = 200 * time.Millisecond
	shortCycle  = 10.         // seconds to the peak, if it is a guess
	cycleTime   = 20.         // seconds to the peak
	longCycle   = 240.        // at most
	oneSecond   = time.Second // calls are spread over no more before the first overload
)

func newWindow() window { return window{limit: firstWindow} }

// callsAtOnce returns the number of calls at once.
func (w *window) callsAtOnce() int64 { return int64(math.Ceil(w.limit)) }

// roundTrip returns the seconds that an answer takes; never zero, or the window
// could become zero and stay so.
func (w *window) roundTrip() float64 { return max(w.trip.valueOr(1), 1e-6) }

// blocksUntil reports whether one more call is too many, and until when if that is known.
func (w *window) blocksUntil(inFlight int, now time.Time) (time.Time, bool) {
	if inFlight >= int(w.callsAtOnce()) {
		if !w.canGrow() {
			return time.Time{}, true
		}
		doublings := math.Log2(float64(inFlight+1) / w.limit)
		return now.Add(max(time.Millisecond, time.Duration(doublings*float64(doubling)))), true
	}
	spread := w.roundTrip()
	if w.peak == 0 {
		spread = min(spread, oneSecond.Seconds())
	}
	rate := headroom * w.limit / spread
	w.pace.setRate(rate, max(1, rate/8), now)
	at := w.pace.waitFor(1, now)
	return at, !at.IsZero()
}

// startCall counts a call and says after which cut it started, as which call since then.
func (w *window) startCall(deadline time.Duration) (cut, number int) {
	w.deadline = deadline.Seconds()
	w.cycle.started++
	w.stray.countStart()
	w.pace.take(1)
	return w.cuts, w.cycle.started
}

// takeBack forgets a call that was not made.
func (w *window) takeBack(cut int) {
	if cut == w.cuts {
		w.cycle.started--
	}
}

// canGrow reports whether the window grows with time.
func (w *window) canGrow() bool {
	return w.peak == 0 && w.cycle.refused == 0 && w.stray.trial == 0 && w.limit < mostAtOnce
}

// passTime tells how the last d went: whether calls waited for the service, whether
// the gate was open, and how many calls are under way.
func (w *window) passTime(d time.Duration, held, open bool, inFlight int) {
	w.cycle.took += d
	if held {
		w.cycle.held += d
		if open {
			w.cycle.open += d
		}
		if open && w.canGrow() {
			ahead := max(w.limit, firstWindow+2*float64(inFlight)) // what is not tried is not known
			w.limit = max(w.limit, min(w.limit*math.Exp2(d.Seconds()/doubling.Seconds()), ahead, w.mostInTime()))
		}
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

// growAfter lets the window grow after the answer to a call that entered then, if calls wait
// for it.
func (w *window) growAfter(entered, now time.Time, held bool) {
	w.trip.add(now.Sub(entered).Seconds())
	if since := w.last; held {
		if since.Before(entered) {
			since = entered
		}
		w.gap.add(now.Sub(since).Seconds())
	}
	w.last = now
	switch {
	case w.stray.trial > 0:
		w.endTrial()
	case !held:
	case w.peak == 0:
		w.limit += min(1, w.limit/8)
	default:
		x := w.cycle.open.Seconds() - w.secondsToPeak()
		if x < 0 {
			x /= w.secondsToPeak()
		} else {
			x /= min(longCycle, max(shortCycle, 64*w.roundTrip()/w.peak))
		}
		w.limit = w.peak * (1 + (1-kept)*x*x*x)
	}
	if w.gap.n >= firstWindow/2 {
		w.limit = min(w.limit, w.mostInTime())
	}
}

// secondsToPeak until the window is back at its peak. The overload that ends a cycle
// must be a small part of it, both in calls and in time behind a closed gate.
func (w *window) secondsToPeak() float64 {
	call := w.roundTrip() / w.peak
	if !w.sure {
		return min(longCycle, max(shortCycle, 8*call))
	}
	shut := w.cycle.held - w.cycle.open
	return min(longCycle, max(cycleTime, 250*call*w.cost.value, 30*shut.Seconds()))
}

// isCheap reports whether few calls wait while all do so for a time.
func (w *window) isCheap(d time.Duration) bool { return d.Seconds()*w.limit/w.roundTrip() < fewWait }

// cutFor cuts the window, once for all calls that were under way then,
// unless the refusal has nothing to do with the number of calls. The refused call was
// that of a number since a cut; so many are still under way.
func (w *window) cutFor(cut, number, inFlight int, cheap bool) verdict {
	if cut < w.cuts {
		return chance // it began before the last cut, which answers it
	}
	w.cycle.refused++
	if w.peak == 0 && (w.cycle.refused == 1 || w.trip.n == 0) { // it may have grown ahead of the calls
		w.limit = min(w.limit, max(firstWindow, float64(inFlight+1)))
	}
	if w.cycle.refused >= number || w.trip.n == 0 { // all before it, or no answer came yet
		if w.stray.trial > 0 { // it begins anew once something gets through
			w.cycle = cycle{}
		}
		return nothing
	}
	if w.stray.trial > 0 && !w.isTrialLost() || w.stray.trial == 0 && w.stray.isExpected(cheap) {
		return chance
	}
	doubted := w.stray.cutWindow(w.limit, w.peak)
	w.peak = max(overshoot*w.nextTrial(w.cycle.started-w.cycle.refused), smallest*w.roundTrip())
	if w.limit = kept * w.peak; doubted > 0 {
		w.stray.trial, w.limit = doubted, trialWindow*doubted
	}
	w.cuts++
	if w.sure {
		w.cost.add(float64(w.cycle.refused))
	}
	w.cycle = cycle{}
	w.pace.level = min(w.pace.level, 0)
	return fewer
}

// nextTrial returns the window that is tried next, when so many calls got through or are
// under way: the one that was too large, or,
// if far less than it got through (Little's law), halfway between the two.
func (w *window) nextTrial(through int) float64 {
	w.sure = true
	trip, c := w.roundTrip(), w.cycle
	if c.took.Seconds() > trip && c.held > c.took/2 {
		if got := float64(through) / c.took.Seconds() * trip; got < w.limit/2 {
			w.sure = false
			return math.Sqrt(got * w.limit)
		}
	}
	return w.limit
}
