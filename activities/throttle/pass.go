package throttle

import (
	"container/list"
	"errors"
	"time"

	"roundtable/activities/failure"
	"roundtable/activities/model"
)

// Pass is a call that waits, then the right to make it. It ends with Answered, Failed or Leave,
// whichever comes first; the later ones do nothing.
type Pass struct {
	throttle         *Throttle
	campaign         *campaign
	call             Call
	tokens           float64       // estimated
	place            *list.Element // in the line; nil outside it
	ready            chan struct{} // closed when the wait is over
	turnedAway       error         // set before that
	entered          time.Time
	sent, sentTokens float64 // by the account, with this call
	cut, number      int     // of the window: the cut it followed, and which call since that
	jitter           failure.Jitter
	ended            bool
}

// unknownOutput is the estimate for the first answers if the request sets no limit.
const unknownOutput = 1024

// estimateTokens returns how many tokens a call will take.
func (c *campaign) estimateTokens(call Call) float64 {
	output := c.output.valueOr(unknownOutput)
	if limit := float64(call.MaxOutput); limit > 0 && (c.output.n == 0 || output > limit) {
		output = limit
	}
	return float64(call.Bytes)*c.perByte.valueOr(0.25) + output
}

// Answered ends a call with what it used and what the service said of the account's limits.
func (p *Pass) Answered(u model.Usage, l model.Limits) {
	p.end(func(t *Throttle, now time.Time) {
		if used := float64(u.Input + u.Output); used > 0 {
			p.correctTokens(used, now)
			p.campaign.output.add(float64(u.Output))
			if p.call.Bytes > 0 {
				p.campaign.perByte.add(float64(u.Input) / float64(p.call.Bytes))
			}
		}
		t.learnLimits(l, p, now)
		t.countTime(now)
		t.window.growAfter(p.entered, now, t.block.For == Provider && t.gate.isOpen())
		t.gate.countAnswer(p, now)
	})
}

// Failed ends a call with its error. Only a *model.Error says something about the service.
func (p *Pass) Failed(err error) {
	p.end(func(t *Throttle, now time.Time) {
		e := &model.Error{}
		_ = errors.As(err, &e)
		if e.Unbilled {
			p.correctTokens(0, now)
		}
		t.learnLimits(e.Limits, p, now)
		if isOverload(e) {
			t.cutWindow(p, e.RetryAfter, now)
			return
		}
		t.gate.passOn(p)
		for c := p.campaign; e.Class == model.Pause && c.line.Len() > 0; { // they would end like this one
			w := c.firstInLine()
			t.leaveLine(w)
			w.turnedAway = err
			close(w.ready)
		}
	})
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

func (p *Pass) end(count func(*Throttle, time.Time)) {
	p.throttle.mu.Lock()
	defer p.throttle.mu.Unlock()
	p.freePlace(count)
}

// giveBack undoes the entry but for its place in the minute, which others may have filled. The
// caller holds mu.
func (p *Pass) giveBack() {
	p.freePlace(func(t *Throttle, now time.Time) {
		p.correctTokens(0, now)
		t.window.takeBack(p.cut)
		t.gate.passOn(p)
	})
}

// freePlace frees the place, once, has the end counted, and lets others in. The caller holds mu.
func (p *Pass) freePlace(count func(*Throttle, time.Time)) {
	if p.ended {
		return
	}
	p.ended = true
	for _, q := range p.quotas() {
		q.inFlight--
	}
	now := time.Now()
	count(p.throttle, now)
	p.throttle.serveLine(now)
}

func (p *Pass) quotas() [2]*quota { return [2]*quota{&p.campaign.quota, &p.throttle.account} }

// correctTokens puts the tokens that were used in place of those estimated.
func (p *Pass) correctTokens(used float64, now time.Time) {
	for _, q := range p.quotas() {
		q.tokens.refillUntil(now) // first, or what is given back is lost above the burst
		q.tokens.take(used - p.tokens)
	}
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
