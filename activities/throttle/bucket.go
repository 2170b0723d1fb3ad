package throttle

import (
	"cmp"
	"time"

	"roundtable/activities/model"
)

// bucket is a rate with a small burst. The zero value lets everything pass.
type bucket struct {
	rate, burst float64 // in a second; at once
	level       float64 // negative after a call larger than the burst
	at          time.Time
}

// perMinute allows at most limit in any minute, 0 for any number: the burst, a quarter of a
// second's worth, is taken off the rate.
func (b *bucket) perMinute(limit int64, now time.Time) {
	if limit <= 0 {
		*b = bucket{}
		return
	}
	burst := max(1, float64(limit)/240)
	b.setRate((float64(limit)-burst+1)/60, burst, now)
}

func (b *bucket) setRate(rate, burst float64, now time.Time) {
	if b.rate == 0 {
		b.level, b.at = burst, now
	}
	b.refillUntil(now)
	b.rate, b.burst, b.level = rate, burst, min(b.level, burst)
}

// refillUntil fills up to the burst. What was given back above it stays.
func (b *bucket) refillUntil(now time.Time) {
	if b.level < b.burst {
		b.level = min(b.burst, b.level+b.rate*now.Sub(b.at).Seconds())
	}
	b.at = now
}

// waitFor returns when n may be taken; zero for now. What is more than the burst is lent, or it
// would never pass.
func (b *bucket) waitFor(n float64, now time.Time) time.Time {
	b.refillUntil(now)
	missing := min(n, b.burst) - b.level
	if b.rate == 0 || missing < 1e-9 {
		return time.Time{}
	}
	return now.Add(time.Duration(missing/b.rate*float64(time.Second)) + 1)
}

// learn bounds the bucket by what the service said was left when a call entered and what was refilled
// since, and does not fill it: others may use the account.
func (b *bucket) learn(a model.Allowance, entered, now time.Time) {
	if a.Limit > 0 {
		b.refillUntil(now)
		b.level = min(b.level, float64(a.Remaining)+b.rate*now.Sub(entered).Seconds())
	}
}

// quota counts the account's calls against what is set and what its service states.
type quota struct {
	set, stated      Ceiling
	ceiling          Ceiling // the tighter of both
	requests, tokens bucket
	inFlight         int
}

func (q *quota) updateCeiling(now time.Time) {
	before := q.ceiling
	q.ceiling = Ceiling{Requests: tighterOf(q.set.Requests, q.stated.Requests),
		Tokens: tighterOf(q.set.Tokens, q.stated.Tokens)}
	if q.ceiling != before {
		q.requests.perMinute(q.ceiling.Requests, now)
		q.tokens.perMinute(q.ceiling.Tokens, now)
	}
}

func (q *quota) learn(l model.Limits, entered, now time.Time) {
	q.stated.Requests = cmp.Or(perMinute(l.Requests), q.stated.Requests)
	q.stated.Tokens = cmp.Or(perMinute(l.Tokens), q.stated.Tokens)
	q.updateCeiling(now)
	q.requests.learn(l.Requests, entered, now)
	q.tokens.learn(l.Tokens, entered, now)
}

func (q *quota) blocksUntil(tokens float64, now time.Time) Wait {
	if at := q.requests.waitFor(1, now); !at.IsZero() {
		return Wait{For: Requests, Until: at, Limit: q.ceiling.Requests}
	}
	if at := q.tokens.waitFor(tokens, now); !at.IsZero() {
		return Wait{For: Tokens, Until: at, Limit: q.ceiling.Tokens}
	}
	return Wait{}
}

func tighterOf(a, b int64) int64 {
	if a <= 0 || b > 0 && b < a {
		return b
	}
	return a
}

// perMinute returns the limit of a minute. Some services speak of a day in the same words: then
// the limit does not matter until little is left of it.
func perMinute(a model.Allowance) int64 {
	if a.Reset > 2*time.Minute && a.Remaining < a.Limit/10 {
		return max(1, int64(float64(a.Limit-a.Remaining)/a.Reset.Minutes()))
	}
	return a.Limit
}

// mean is a running mean of about the last 64 values, and what is assumed before the first.
type mean struct {
	value float64
	n     int
}

func (m *mean) add(v float64) {
	m.n = min(m.n+1, 64)
	m.value += (v - m.value) / float64(m.n)
}
