package throttle

import (
	"math"
	"time"
)

// window is the number of calls at once that the service seems to take. Calls are
// also spread over the time of an answer, so it is a rate too, where a rate is what
// the service limits: below 1 it means less than a call in that time.
type window struct {
	limit                      float64
	peak                       float64 // that was too much; 0 before the first cut
	soon                       int     // cuts in a row before the limit was back
	cuts                       int
	cycle                      float64 // answers until the limit is back at the peak
	pace                       bucket
	borne                      float64 // share of refusals that is taken for chance
	excess                     float64 // refusals beyond that (Page 1954, Continuous inspection schemes)
	answered, through, heldFor float64 // since the last cut, while calls waited; the first while they might grow
	tally                              // since the last cut
	run                        tally   // since refusals were last no more than are borne

	trip, gap mean      // seconds that an answer takes; between answers, while calls waited
	perToken  mean      // seconds that a token takes
	quickest  float64   // that mean at its least; 0 if not known
	last      time.Time // answer
	deadline  float64   // seconds; 0 if there is none
}

// tally counts calls.
type tally struct{ started, refused float64 }

func (t tally) share() float64 { return min(1, t.refused/max(1, t.started)) }

const (
	firstWindow   = 16
	mostAtOnce    = 1 << 16
	opening       = 3.   // calls more for an answer, before the first cut
	cut           = 0.08 // of the limit
	badLuck       = 2    // cuts too soon
	deepest       = 0.15 // of the limit, if so many are refused
	firstCycle    = 16.  // answers
	longestCycle  = 256.
	recovered     = 0.98 // of the peak: the limit is back
	mostBorne     = 0.12 // of calls
	patience      = 64.  // refusals beyond 1 for a share of chance of 1
	enoughRefused = 4
	manyRefused   = 0.25    // of calls: no chance
	smallest      = 1 / 60. // of the trip's seconds: a call a minute
	headroom      = 1.1     // of the pace: answers that take longer leave gaps
	queueing      = 4       // times the usual time of an answer
	tokensOfCall  = 50      // that take as long as what an answer takes without any
	inTime        = 0.8     // of the deadline
)

func newWindow() window { return window{limit: firstWindow, borne: mostBorne, cycle: firstCycle} }

// callsAtOnce returns the number of calls at once.
func (w *window) callsAtOnce() int64 { return int64(math.Ceil(w.limit)) }

// roundTrip returns the seconds that an answer takes; never zero, or the window
// could become zero and stay so.
func (w *window) roundTrip() float64 { return max(w.trip.valueOr(1), 1e-6) }

// blocksUntil reports whether one more call is too many, and until when if that is known.
func (w *window) blocksUntil(inFlight int, now time.Time) (time.Time, bool) {
	if inFlight >= int(w.callsAtOnce()) {
		return time.Time{}, true
	}
	spread := w.roundTrip()
	if w.peak == 0 {
		spread = min(spread, 1)
	}
	rate := headroom * w.limit / spread
	w.pace.setRate(rate, max(1, rate/8), now)
	at := w.pace.waitFor(1, now)
	return at, !at.IsZero()
}

func (w *window) countStart(deadline time.Duration) {
	w.started++
	w.run.started++
	if w.excess = max(0, w.excess-w.borne); w.excess == 0 {
		w.run = tally{}
	}
	w.pace.take(1)
	w.deadline = deadline.Seconds()
}

// countAnswer lets the window grow, if calls wait for it.
func (w *window) countAnswer(entered, now time.Time, tokens float64, held bool) {
	took := now.Sub(entered).Seconds()
	w.trip.add(took)
	w.perToken.add(took / (tokens + tokensOfCall))
	if w.perToken.n >= firstWindow/2 && (w.quickest == 0 || w.perToken.value < w.quickest) {
		w.quickest = w.perToken.value
	}
	since := w.last
	if since.IsZero() {
		since = entered
	}
	w.last = now
	if !held {
		return
	}
	gap := now.Sub(since).Seconds()
	w.gap.add(gap)
	w.heldFor += gap
	w.through++
	if w.limit >= w.enough() {
		return
	}
	w.answered++
	if w.peak == 0 {
		w.limit += opening
	} else {
		x := w.answered / max(w.cycle, w.peak)
		if x < 1 {
			x = 1 - (1-x)*(1-x)
		} else {
			x = math.Exp2(1.5 * (x - 1))
		}
		w.limit = w.peak * (1 + cut*(x-1))
	}
	w.limit = min(w.limit, mostAtOnce)
}

// enough is how many calls at once would only make each other wait, or not be
// answered in time, at the present rate of answers (Little's law).
func (w *window) enough() float64 {
	if w.quickest == 0 {
		return 0
	}
	longest := queueing * w.roundTrip() * w.quickest / w.perToken.value
	if w.deadline > 0 {
		longest = min(longest, inTime*w.deadline)
	}
	return longest / w.gap.value
}

// countRefusal cuts the window if too many are refused, once for all calls that were
// under way then.
func (w *window) countRefusal(cuts int) {
	if cuts < w.cuts {
		return
	}
	w.refused++
	w.run.refused++
	if w.excess++; w.excess < 1+patience*w.borne {
		return
	}
	share := 0.
	if w.run.refused >= enoughRefused || w.run.refused >= 2 && w.cycle == firstCycle && w.peak > 0 {
		share = w.run.share()
	}
	switch {
	case share > manyRefused:
		w.collapse(1 - share)
		return
	case w.limit < recovered*w.peak: // the last cut did not help
		if w.soon++; w.soon > badLuck {
			w.borne = min(mostBorne, 2*w.borne+0.02)
		}
	default:
		before := tally{w.started - w.run.started, w.refused - w.run.refused}
		w.soon, w.cycle = 0, min(2*w.cycle, longestCycle)
		if w.borne = min(mostBorne, max(w.borne/2, 1.5*before.share())); w.borne < 0.01 {
			w.borne = 0
		}
	}
	w.cutTo(w.limit * (1 - max(0, share-cut)))
}

// collapse cuts the window to what got through of late (Little's law), or to a part of
// it if that is not known.
func (w *window) collapse(kept float64) {
	w.cycle = firstCycle
	if w.borne /= 2; kept == 0 {
		w.borne = 0
	}
	if w.heldFor > w.roundTrip() {
		kept = w.through / w.heldFor * w.roundTrip() / w.limit
	}
	w.cutTo(w.limit * min(max(kept, deepest), 1))
}

func (w *window) cutTo(peak float64) {
	w.peak = max(peak, smallest*w.roundTrip())
	w.limit = (1 - cut) * w.peak
	w.cuts++
	w.tally, w.run = tally{}, tally{}
	w.excess, w.answered, w.through, w.heldFor = 0, 0, 0, 0
	w.pace.level = min(w.pace.level, 0)
}
