package throttle

import (
	"time"

	"roundtable/activities/model"
)

// learnt is what the service said of the account's limits.
type learnt struct {
	requests, tokens int64 // a minute; 0 if not known
	sent             sent
}

// sent counts what the account was asked for, since the beginning.
type sent struct{ requests, tokens float64 }

func (l *learnt) countSent(tokens float64) sent {
	l.sent.requests++
	l.sent.tokens += tokens
	return l.sent
}

// learnLimits takes what a service said at a time, when so much had been sent.
func (t *Throttle) learnLimits(l model.Limits, at time.Time, then sent, now time.Time) {
	if l == (model.Limits{}) {
		return
	}
	if l.Requests.Limit > 0 {
		t.learnt.requests = perMinute(l.Requests)
	}
	if l.Tokens.Limit > 0 {
		t.learnt.tokens = perMinute(l.Tokens)
	}
	t.applyLimits(now)
	since := now.Sub(at)
	t.account.requests.atMost(l.Requests, since, t.learnt.sent.requests-then.requests, now)
	t.account.tokens.atMost(l.Tokens, since, t.learnt.sent.tokens-then.tokens, now)
}

// atMost empties a bucket to what the service says is left, with what was
// refilled and sent since. It is not filled: others may use the account.
func (b *bucket) atMost(a model.Allowance, since time.Duration, sent float64, now time.Time) {
	if a.Limit > 0 {
		b.refillUntil(now)
		b.level = min(b.level, float64(a.Remaining)+b.rate*since.Seconds()-sent)
	}
}

// perMinute returns the limit of a minute. Some services speak of a day in the same
// words: then the limit does not matter until little is left of it.
func perMinute(a model.Allowance) int64 {
	if a.Reset > 2*time.Minute && a.Remaining < a.Limit/10 {
		return max(1, int64(float64(a.Limit-a.Remaining)/a.Reset.Minutes()))
	}
	return a.Limit
}

// applyLimits puts the tighter of ceiling and learnt limits in force.
func (t *Throttle) applyLimits(now time.Time) {
	t.account.setCeiling(Ceiling{
		Requests:    tighterOf(t.ceiling.Requests, t.learnt.requests),
		Tokens:      tighterOf(t.ceiling.Tokens, t.learnt.tokens),
		Concurrency: t.ceiling.Concurrency,
	}, now)
}

func tighterOf(a, b int64) int64 {
	if a <= 0 || b > 0 && b < a {
		return b
	}
	return a
}
