package throttle

import (
	"time"

	"roundtable/activities/model"
)

// quota counts calls against a ceiling: of the account or of a campaign.
type quota struct {
	ceiling          Ceiling
	requests, tokens bucket
	inFlight         int
}

func (q *quota) setCeiling(c Ceiling, now time.Time) {
	q.requests.setLimit(q.ceiling.Requests, c.Requests, now)
	q.tokens.setLimit(q.ceiling.Tokens, c.Tokens, now)
	q.ceiling = c
}

func (q *quota) blocksUntil(tokens float64, now time.Time) block {
	if most := q.ceiling.Concurrency; most > 0 && q.inFlight >= most {
		return block{For: Concurrency, Limit: int64(most)}
	}
	if at := q.requests.waitFor(1, now); !at.IsZero() {
		return block{For: Requests, Until: at, Limit: q.ceiling.Requests}
	}
	if at := q.tokens.waitFor(tokens, now); !at.IsZero() {
		return block{For: Tokens, Until: at, Limit: q.ceiling.Tokens}
	}
	return block{}
}

func (q *quota) take(tokens float64) {
	q.inFlight++
	q.requests.take(1)
	q.tokens.take(tokens)
}

// bucket is a rate with a small burst. The zero value lets everything pass.
type bucket struct {
	rate, burst float64 // in a second; at once
	level       float64 // negative after a call larger than the burst
	taken       float64 // since the beginning
	at          time.Time
}

// setLimit changes what is allowed in any minute. The burst, a quarter of a second's
// worth, is taken off the rate.
func (b *bucket) setLimit(before, perMinute int64, now time.Time) {
	switch {
	case perMinute == before:
	case perMinute <= 0:
		*b = bucket{taken: b.taken}
	default:
		burst := max(1, float64(perMinute)/240)
		b.setRate((float64(perMinute)-burst+1)/60, burst, now)
	}
}

func (b *bucket) setRate(rate, burst float64, now time.Time) {
	if b.rate == 0 {
		b.level, b.at = burst, now
	}
	b.refill(now)
	b.rate, b.burst, b.level = rate, burst, min(b.level, burst)
}

// refill fills up to the burst. What was given back above it stays.
func (b *bucket) refill(now time.Time) {
	if b.level < b.burst {
		b.level = min(b.burst, b.level+b.rate*now.Sub(b.at).Seconds())
	}
	b.at = now
}

// waitFor returns when n may be taken; zero for now. What is more than the burst is
// lent, or it would never pass.
func (b *bucket) waitFor(n float64, now time.Time) time.Time {
	if b.rate == 0 {
		return time.Time{}
	}
	b.refill(now)
	missing := min(n, b.burst) - b.level
	if missing < 1e-9 {
		return time.Time{}
	}
	return now.Add(time.Duration(missing/b.rate*float64(time.Second)) + 1)
}

func (b *bucket) take(n float64) {
	b.level -= n
	b.taken += n
}

// atMost empties the bucket to what the service says was left at a time, when so much
// had been taken. It is not filled: others may use the account.
func (b *bucket) atMost(a model.Allowance, then time.Time, taken float64, now time.Time) {
	if a.Limit > 0 {
		b.refill(now)
		b.level = min(b.level, float64(a.Remaining)+b.rate*now.Sub(then).Seconds()-(b.taken-taken))
	}
}

// mean is a running mean of about the last 64 values.
type mean struct {
	value float64
	n     int
}

func (m *mean) add(v float64) {
	m.n = min(m.n+1, 64)
	m.value += (v - m.value) / float64(m.n)
}

func (m mean) valueOr(v float64) float64 {
	if m.n == 0 {
		return v
	}
	return m.value
}
