package throttle

import (
	"errors"
	"time"

	"roundtable/activities/failure"
	"roundtable/activities/model"
)

// Pass is a call that waits, then the right to make it. It ends with Answered, Failed or Leave,
// whichever comes first; the later ones do nothing.
type Pass struct {
	throttle    *Throttle
	campaign    *campaign
	call        Call
	tokens      float64       // estimated
	ready       chan struct{} // closed when the wait is over
	turnedAway  error         // set before that
	entered     time.Time     // zero in the line
	cut, number int           // of the window: the cut it followed, and which call since that
	closing     int           // of the account, that it followed
	jitter      failure.Jitter
	ended       bool
}

// unknownOutput is the estimate for the first answers if the request sets no limit.
const unknownOutput = 1024

// estimateTokens returns how many tokens a call will take.
func (c *campaign) estimateTokens(call Call) float64 {
	output := c.output.value
	if limit := float64(call.MaxOutput); limit > 0 && (c.output.n == 0 || output > limit) {
		output = limit
	}
	return float64(call.Bytes)*c.perByte.value + output
}

// Answered ends a call with its usage u and the account's limits l as the service stated them.
func (p *Pass) Answered(u model.Usage, l model.Limits) {
	p.end(func(t *Throttle, now time.Time) {
		if used := float64(u.Input + u.Output); used > 0 {
			p.correctTokens(used, now)
			p.campaign.output.add(float64(u.Output))
			if p.call.Bytes > 0 {
				p.campaign.perByte.add(float64(u.Input) / float64(p.call.Bytes))
			}
		}
		t.account.learn(l, p.entered, now)
		t.window.countAnswer(p, t.block.For == Provider, now)
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
		t.account.learn(e.Limits, p.entered, now)
		// refused, or left to wait, because there are too many
		if e.Fault == model.Busy || e.Fault == model.Silent || e.Fault == model.Down && e.Status == 503 {
			t.window.countRefusal(p, e.RetryAfter, t.account.inFlight, now)
			return
		}
		t.window.passOn(p, e.Fault == model.Useless || e.Status > 0 && e.Status < 500, now)
		for c := p.campaign; e.Class == model.Pause && len(c.line) > 0; { // they would end like this one
			w := c.line[0]
			t.leaveLine(w)
			w.turnedAway, w.ended = err, true
			close(w.ready)
		}
	})
}

// Leave ends a pass whose call was not made. Its tokens and its place among the calls at once are
// given back; it still counts against the minute's Requests.
func (p *Pass) Leave() {
	p.end(func(t *Throttle, now time.Time) {
		p.correctTokens(0, now)
		t.window.passOn(p, false, now)
	})
}

// end leaves the line or frees the place, once, and has the end counted.
func (p *Pass) end(count func(*Throttle, time.Time)) {
	t := p.throttle
	t.change(func(now time.Time) {
		switch {
		case p.ended:
		case p.entered.IsZero():
			t.leaveLine(p)
		default:
			t.account.inFlight--
			p.campaign.inFlight--
			count(t, now)
		}
		p.ended = true
	})
}

// correctTokens puts the tokens that were used in place of those estimated.
func (p *Pass) correctTokens(used float64, now time.Time) {
	b := &p.throttle.account.tokens
	b.refillUntil(now) // first, or what is given back is lost above the burst
	b.level -= used - p.tokens
}
