package throttle

import "time"

// bucket is a rate with a small burst. The zero value lets everything pass.
type bucket struct {
	rate, burst float64 // in a second; at once
	level       float64 // negative after a call larger than the burst
	at          time.Time
}

// perMinute allows at most limit in any minute: the burst, a quarter of a
// second's worth, is taken off the rate.
func (b *bucket) perMinute(limit int64, now time.Time) {
	burst := max(1, float64(limit)/240)
	b.setRate((float64(limit)-burst+1)/60, burst, now)
}

func (b *bucket) setRate(rate, burst float64, now time.Time) {
	if b.rate == 0 {
		*b = bucket{level: burst, at: now}
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

// waitFor returns when n may be taken; zero for now. What is more than the burst is
// lent, or it would never pass.
func (b *bucket) waitFor(n float64, now time.Time) time.Time {
	if b.rate == 0 {
		return time.Time{}
	}
	b.refillUntil(now)
	missing := min(n, b.burst) - b.level
	if missing < 1e-9 {
		return time.Time{}
	}
	return now.Add(time.Duration(missing/b.rate*float64(time.Second)) + 1)
}

func (b *bucket) take(n float64) { b.level -= n }

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
