package throttle

import (
	"errors"
	"time"

	"roundtable/activities/failure"
	"roundtable/activities/model"
)

// Pass is the right to make one call. It ends with Answered, Failed or Leave,
// whichever comes first; the later ones do nothing.
type Pass struct {
	throttle *Throttle
	campaign *campaign
	bytes    int
	tokens   float64 // estimated
	entered  time.Time
	sent     sent // by the account, with this call
	cut      int  // of the window, when it entered
	number   int  // of the call since that
	jitter   failure.Jitter
	ended    bool
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
		p.campaign.output.add(float64(u.Output))
		if p.bytes > 0 {
			p.campaign.perByte.add(float64(u.Input) / float64(p.bytes))
		}
	}
	t.learnLimits(l, p.entered, p.sent, now)
	t.countTime(now)
	t.window.growAfter(p.entered, now, t.block.For == Provider && t.gate.isOpen())
	t.gate.countAnswer(p, now)
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
	t.learnLimits(e.Limits, p.entered, p.sent, now)
	switch {
	case isOverload(e):
		t.cutWindow(p, e.RetryAfter, now)
	case e.Class == model.Pause: // those that wait would end like this one
		t.refuseCampaign(p.campaign, err)
		t.gate.passOn(p)
	default:
		t.gate.passOn(p)
	}
	t.serveLine(now)
}

// cutWindow cuts the window and closes the gate if that is called for: if nothing gets
// through, or if that is cheap.
func (t *Throttle) cutWindow(p *Pass, retryAfter time.Duration, now time.Time) {
	t.countTime(now)
	t.gate.refusal.add(now.Sub(p.entered).Seconds())
	cheap := t.window.isCheap(max(retryAfter, time.Second))
	verdict := t.window.cutFor(p.cut, p.number, t.account.inFlight, cheap)
	switch {
	case t.gate.isOpen() && verdict != nothing && !(verdict == fewer && cheap):
		t.gate.passOn(p)
	case retryAfter > 0:
		t.gate.closeFor(retryAfter, now, p.jitter)
	case verdict == nothing:
		t.gate.closeByGuess(now, p.jitter)
	default:
		t.gate.passOn(p)
	}
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
	now, ok := p.freePlace()
	if !ok {
		return
	}
	t := p.throttle
	p.correctTokens(0, now)
	t.window.takeBack(p.cut)
	t.gate.passOn(p)
	t.serveLine(now)
}

// freePlace frees the place, once.
func (p *Pass) freePlace() (time.Time, bool) {
	if p.ended {
		return time.Time{}, false
	}
	p.ended = true
	p.campaign.quota.inFlight--
	p.throttle.account.inFlight--
	return time.Now(), true
}

// correctTokens puts the tokens that were used in place of those estimated.
func (p *Pass) correctTokens(used float64, now time.Time) {
	more := used - p.tokens
	for _, b := range []*bucket{&p.campaign.quota.tokens, &p.throttle.account.tokens} {
		b.refillUntil(now) // first, or what is given back is lost above the burst
		b.take(more)
	}
	p.throttle.learnt.sent.tokens += more
}

// isOverload reports whether a service refused a call, or let it wait, because there are too many.
func isOverload(e *model.Error) bool {
	if e.Class != model.Retry {
		return false
	}
	switch e.Status {
	case 429, 503, 529:
		return true
	}
	switch e.Code { // some services say it in the body of another status
	case "timeout", // the service has not come to it in time
		"rate_limit_exceeded", "rate_limit_error", "slow_down", "overloaded_error", "ThrottlingException":
		return true
	}
	return false
}
