package throttle

import (
	"errors"
	"time"

	"roundtable/activities/model"
)

// Pass is the right to make one call. It ends with Answered, Failed or Leave,
// whichever comes first; the later ones do nothing.
type Pass struct {
	throttle         *Throttle
	waiter           *waiter
	entered          time.Time
	cut              int     // cuts of the window when it entered
	requests, tokens float64 // that the account had taken then, with this call
	ended            bool
}

// Answered ends a call with what it used and what the service said of the
// account's limits.
func (p *Pass) Answered(u model.Usage, l model.Limits) {
	t := p.throttle
	t.mu.Lock()
	defer t.mu.Unlock()
	now, ok := p.freePlace()
	if !ok {
		return
	}
	if used := float64(u.Input + u.Output); used > 0 {
		p.correctTokens(used, now)
		c := p.waiter.campaign
		c.output.add(float64(u.Output))
		if p.waiter.Bytes > 0 {
			c.perByte.add(float64(u.Input) / float64(p.waiter.Bytes))
		}
	}
	p.learnLimits(l, now)
	held := t.block.For == Provider && !now.Before(t.outage.until)
	if t.outage.tries > 0 && !t.outage.told {
		t.window.last = p.entered
	}
	t.window.countAnswer(p.entered, now, float64(u.Output), held)
	t.outage.countAnswer(p.entered, now)
	t.serveLine(now)
}

// Failed ends a call with its error. Only a *model.Error says something about the service.
func (p *Pass) Failed(err error) {
	t := p.throttle
	t.mu.Lock()
	defer t.mu.Unlock()
	now, ok := p.freePlace()
	if !ok {
		return
	}
	var e *model.Error
	if !errors.As(err, &e) {
		e = &model.Error{}
	}
	if e.Unbilled {
		p.correctTokens(0, now)
	}
	p.learnLimits(e.Limits, now)
	switch e.Class {
	case model.Pause: // those that wait would end like this one
		t.refuseCampaign(p.waiter.campaign, err)
	case model.Retry:
		inOutage := t.outage.tries > 0
		t.outage.countFailure(p.entered, now, e.RetryAfter, p.waiter.jitter, &t.window)
		if !inOutage && t.outage.tries == 0 && isOverload(e) { // where nothing gets through, only time helps
			t.window.countRefusal(p.cut)
		}
	}
	t.serveLine(now)
}

// Leave ends a pass whose call was not made.
func (p *Pass) Leave() {
	p.throttle.mu.Lock()
	defer p.throttle.mu.Unlock()
	p.giveBack()
}

// giveBack undoes the entry but for its place in the minute, which others may
// have filled. The caller holds mu.
func (p *Pass) giveBack() {
	if now, ok := p.freePlace(); ok {
		p.correctTokens(0, now)
		p.throttle.serveLine(now)
	}
}

// freePlace frees the place, once.
func (p *Pass) freePlace() (time.Time, bool) {
	if p.ended {
		return time.Time{}, false
	}
	p.ended = true
	p.waiter.campaign.quota.inFlight--
	p.throttle.account.inFlight--
	return time.Now(), true
}

// correctTokens puts the tokens that were used in the place of those estimated.
func (p *Pass) correctTokens(used float64, now time.Time) {
	for _, b := range []*bucket{&p.waiter.campaign.quota.tokens, &p.throttle.account.tokens} {
		b.refill(now) // first, or what is given back is lost above the burst
		b.take(used - p.waiter.tokens)
	}
}

// learnLimits takes what a service said when the call arrived.
func (p *Pass) learnLimits(l model.Limits, now time.Time) {
	t := p.throttle
	if l.Requests.Limit > 0 {
		t.said.Requests = perMinute(l.Requests)
	}
	if l.Tokens.Limit > 0 {
		t.said.Tokens = perMinute(l.Tokens)
	}
	t.applyLimits(now)
	t.account.requests.atMost(l.Requests, p.entered, p.requests, now)
	t.account.tokens.atMost(l.Tokens, p.entered, p.tokens, now)
}

// perMinute returns the limit of a minute. Some services speak of a day in the same
// words: then the limit does not matter until little of it is left.
func perMinute(a model.Allowance) int64 {
	if a.Reset > 2*time.Minute && a.Remaining < a.Limit/10 {
		return max(1, int64(float64(a.Limit-a.Remaining)/a.Reset.Minutes()))
	}
	return a.Limit
}

// isOverload reports whether a service refused a call because there are too many, or
// has not come to it in time.
func isOverload(e *model.Error) bool {
	switch e.Status {
	case 429, 503, 529:
		return true
	}
	switch e.Code { // some services say it in the body of another status
	case "timeout", "rate_limit_exceeded", "rate_limit_error", "slow_down", "overloaded_error", "ThrottlingException":
		return true
	}
	return false
}
