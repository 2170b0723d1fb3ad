// Package throttle keeps the calls of one account within what its service and
// its campaigns allow, and as close to that as it can.
//
// A [Throttle] promises:
//   - No minute has more calls than a ceiling's Requests. Tokens are estimated
//     before a call and corrected after it, so a minute may pass a ceiling by
//     the estimate of one call and by what estimates were wrong.
//   - What the service says of its limits is followed. What it does not say is
//     found: calls at once double every 200 ms until the first refusal, then in
//     every round trip until the first overload, then follow a
//     cubic curve around the rate that got through. A service that refuses a share of
//     all calls (429, 503, 529), up to an eighth, however few there are, is only asked again.
//   - Where calls only queue, no more are made at once than can be answered before their
//     deadline, and at most 64 before the first answer. A deadline that passes is a refusal.
//   - The call that was refused waits for its Retry-After, which is up to the caller; all
//     calls of the account wait if nothing gets through any more, or if few would go
//     meanwhile. Then one call goes first; the others follow when it was not refused.
//   - Campaigns are served in turn, the calls of one in the order of arrival.
//   - A waiting call leaves when its context ends or its worker stops, and when
//     another one of its campaign comes back with an error that the operator must fix.
package throttle

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"

	"roundtable/activities/failure"
)

// ErrStopping is the end of a wait because the worker drains.
var ErrStopping = errors.New("the worker is stopping; the call was not made")

// Ceiling is a hard limit; zero and below mean none.
type Ceiling struct {
	Requests    int64 // in any minute
	Tokens      int64 // in any minute, input and output
	Concurrency int   // calls at once
}

// Call is what must be known of a call before it is made.
type Call struct {
	Campaign  string
	Bytes     int           // of the prompt, for the estimate of its tokens
	MaxOutput int           // tokens; 0 if the request sets no limit
	Deadline  time.Duration // how long its answer is waited for; 0 if there is no limit
}

// Throttle is the gate before one account of a service. It is shared by all models and
// campaigns that use the account.
type Throttle struct {
	mu               sync.Mutex
	ceiling          Ceiling
	requests, tokens int64 // a minute, as the service says; 0 if not known
	account          quota
	campaigns        map[string]*campaign
	turns            *list.List // campaigns with waiting calls, the next one first
	window           window
	gate             gate
	block            Wait      // what kept the first waiting call of all at the last look
	looked           time.Time // when that was
	timer            *time.Timer
	wake             time.Time // when the timer fires; zero if it is off
}

// campaign is the line of a campaign's waiting calls.
type campaign struct {
	quota   quota
	line    list.List     // of *Pass
	turn    *list.Element // its place among the campaigns; nil if nothing waits
	perByte mean          // tokens of a byte of a prompt
	output  mean          // tokens of an answer
}

// New returns a throttle for an account of which nothing is known but a ceiling.
func New(c Ceiling) *Throttle {
	t := &Throttle{campaigns: map[string]*campaign{}, turns: list.New(), window: newWindow()}
	t.SetCeiling(c)
	return t
}

// SetCeiling changes the ceiling of the account from now on.
func (t *Throttle) SetCeiling(c Ceiling) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ceiling = c
	now := time.Now()
	t.applyLimits(now)
	t.serveLine(now)
}

// SetCampaignCeiling changes the ceiling of one campaign from now on.
func (t *Throttle) SetCampaignCeiling(campaign string, c Ceiling) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.campaignNamed(campaign).quota.setCeiling(c, now)
	t.serveLine(now)
}

// Reopen lets a call be tried at once where refusals of the service have closed the account:
// the others follow when it was not refused.
func (t *Throttle) Reopen() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.gate.openNow(now)
	t.serveLine(now)
}

// Enter waits until a call may be made. The pass must be ended, best by a deferred Leave. The
// error is the context's, ErrStopping, or that of a call of the campaign which the operator
// must fix.
func (t *Throttle) Enter(ctx context.Context, stopping <-chan struct{}, call Call) (*Pass, error) {
	if err := endOf(ctx, stopping); err != nil {
		return nil, err
	}
	p := t.joinLine(call, failure.JitterOf(ctx))
	select {
	case <-p.ready:
	case <-stopping:
	case <-ctx.Done():
	}
	if err := endOf(ctx, stopping); err != nil { // counts even when the place is there
		t.quitLine(p)
		return nil, err
	}
	if p.turnedAway != nil {
		return nil, p.turnedAway
	}
	return p, nil
}

func endOf(ctx context.Context, stopping <-chan struct{}) error {
	select {
	case <-stopping:
		return ErrStopping
	default:
		return ctx.Err()
	}
}

// joinLine puts a call at the end of its campaign's line.
func (t *Throttle) joinLine(call Call, drawn failure.Jitter) *Pass {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.campaignNamed(call.Campaign)
	p := &Pass{throttle: t, campaign: c, call: call, tokens: c.estimateTokens(call), jitter: drawn,
		ready: make(chan struct{})}
	p.place = c.line.PushBack(p)
	if c.turn == nil {
		c.turn = t.turns.PushBack(c)
	}
	if c.line.Len() == 1 { // else those before it wait already
		t.serveLine(time.Now())
	}
	return p
}

// quitLine takes back a call that will not be made.
func (t *Throttle) quitLine(p *Pass) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case p.turnedAway != nil:
	case p.place == nil:
		p.giveBack()
	default:
		t.leaveLine(p)
		t.serveLine(time.Now())
	}
}

func (t *Throttle) campaignNamed(name string) *campaign {
	c := t.campaigns[name]
	if c == nil {
		c = &campaign{}
		t.campaigns[name] = c
	}
	return c
}

// firstInLine returns the call that waits longest.
func (c *campaign) firstInLine() *Pass { return c.line.Front().Value.(*Pass) }

// leaveLine takes a call out of its line; the others keep their places.
func (t *Throttle) leaveLine(p *Pass) {
	c := p.campaign
	c.line.Remove(p.place)
	p.place = nil
	if c.line.Len() == 0 {
		t.turns.Remove(c.turn)
		c.turn = nil
	}
}

// serveLine lets in who may go now, in turn. The caller holds mu.
func (t *Throttle) serveLine(now time.Time) {
	t.countTime(now)
	again, served := time.Time{}, true
	for served {
		again, served = t.serveOne(now)
	}
	t.armTimer(again, now)
}

// serveOne lets in the next call of the first campaign that may make one. If there is none it
// says when to look again; zero if only another call's end can change anything.
func (t *Throttle) serveOne(now time.Time) (again time.Time, served bool) {
	t.block = Wait{}
	for e := t.turns.Front(); e != nil; e = e.Next() {
		p := e.Value.(*campaign).firstInLine()
		if own := p.campaign.quota.blocksUntil(p.tokens, now); own.For != Nothing {
			again = soonerOf(again, own.Until)
			continue
		}
		// a smaller call must not overtake, or a large one waits forever
		if t.block = t.blocksUntil(p.tokens, now); t.block.For != Nothing {
			return soonerOf(again, t.block.Until), false
		}
		t.turns.MoveToBack(e)
		t.admit(p, now)
		return time.Time{}, true
	}
	return again, false
}

// countTime counts the time since the last look for the window.
func (t *Throttle) countTime(now time.Time) {
	if !t.looked.IsZero() {
		t.window.passTime(now.Sub(t.looked), t.block.For == Provider, t.gate.isOpen(), t.account.inFlight)
	}
	t.looked = now
}

// blocksUntil says what keeps the account from making one more call.
func (t *Throttle) blocksUntil(tokens float64, now time.Time) Wait {
	if until, closed := t.gate.blocksUntil(now); closed {
		return Wait{For: Provider, Since: t.gate.since, Told: t.gate.told, Until: until, Limit: t.window.callsAtOnce()}
	}
	if w := t.account.blocksUntil(tokens, now); w.For != Nothing {
		return w
	}
	if until, full := t.window.blocksUntil(t.account.inFlight, now); full {
		return Wait{For: Provider, Until: until, Limit: t.window.callsAtOnce()}
	}
	return Wait{}
}

// admit gives a call its place.
func (t *Throttle) admit(p *Pass, now time.Time) {
	t.leaveLine(p)
	p.entered = now
	for _, q := range p.quotas() {
		q.inFlight++
		q.requests.take(1)
		q.tokens.take(p.tokens)
	}
	p.sent, p.sentTokens = t.account.requests.taken, t.account.tokens.taken
	p.cut, p.number = t.window.startCall(p.call.Deadline)
	t.gate.start(p, now)
	close(p.ready)
}

// armTimer sees to it that someone looks again at a time; zero: nobody needs to.
func (t *Throttle) armTimer(at, now time.Time) {
	switch {
	case at.IsZero():
		if !t.wake.IsZero() {
			t.timer.Stop()
		}
	case !t.wake.IsZero() && !at.Before(t.wake) && now.Before(t.wake):
		return // fires earlier, looks and sets itself again
	case t.timer == nil:
		t.timer = time.AfterFunc(at.Sub(now), t.serveAgain)
	default:
		t.timer.Reset(at.Sub(now))
	}
	t.wake = at
}

func (t *Throttle) serveAgain() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wake = time.Time{}
	t.serveLine(time.Now())
}

func soonerOf(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
