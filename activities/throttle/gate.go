package throttle

import (
	"time"

	"roundtable/activities/failure"
)

// gate closes for the time that a service asks for, or for a growing time
// when it refuses everything. Then one call goes first.
type gate struct {
	since    time.Time // when it closed, with no answer since
	until    time.Time // closed before it
	told     bool      // by the service
	half     bool      // closed, or waiting for the first call
	probe    *Pass     // the first call
	patience time.Time // if the first call is not refused by then, it was let in
	tries    int       // closings without an answer between
	refusal  mean      // seconds that a refusal takes
}

const (
	longest      = 10 * time.Minute // a service that asks for more is asked again
	longestGuess = 4 * time.Second
)

func (g *gate) isOpen() bool { return !g.half }

// blocksUntil reports whether the gate holds calls back, and until when.
func (g *gate) blocksUntil(now time.Time) (time.Time, bool) {
	switch {
	case !g.half:
		return time.Time{}, false
	case now.Before(g.until):
		return g.until, true
	case g.probe == nil:
		return time.Time{}, false
	case now.Before(g.patience):
		return g.patience, true
	}
	g.half, g.probe = false, nil
	return time.Time{}, false
}

func (g *gate) start(p *Pass, now time.Time) {
	if g.half {
		usual := time.Duration(4 * g.refusal.valueOr(0.25) * float64(time.Second))
		g.probe, g.patience = p, now.Add(min(max(usual, 50*time.Millisecond), 5*time.Second))
	}
}

// closeFor for as long as the service says, and a little longer, because others
// of the account wait as well.
func (g *gate) closeFor(d time.Duration, now time.Time, drawn failure.Jitter) {
	d = min(d, longest)
	if until := now.Add(d); !g.half || until.After(g.until) {
		g.until = until.Add(drawn(d/10 + 10*time.Millisecond))
	}
	g.close(true, now)
}

// closeByGuess closes for a second, and twice as long each time that follows.
func (g *gate) closeByGuess(now time.Time, drawn failure.Jitter) {
	d := min(time.Second<<min(g.tries, 6), longestGuess)
	g.tries++
	if until := now.Add(d/2 + drawn(d/2)); !g.half || until.After(g.until) {
		g.until, g.told = until, false
	}
	g.close(g.told, now)
}

func (g *gate) close(told bool, now time.Time) {
	if g.since.IsZero() {
		g.since = now
	}
	g.half, g.told, g.probe = true, told, nil
}

// openNow lets the first call go now: the operator knows better than the service's word.
func (g *gate) openNow(now time.Time) {
	if g.half && now.Before(g.until) {
		g.until, g.told, g.tries = now, false, 0
	}
}

// countAnswer opens for the first call's answer. Another answer ends a guess: it
// has left a place.
func (g *gate) countAnswer(p *Pass, now time.Time) {
	g.tries, g.since = 0, time.Time{}
	if p == g.probe {
		g.half, g.probe = false, nil
	} else if g.half && !g.told && now.Before(g.until) {
		g.until = now
	}
}

// passOn lets another call go first if the first one told nothing.
func (g *gate) passOn(p *Pass) {
	if p == g.probe {
		g.probe = nil
	}
}
