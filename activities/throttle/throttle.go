// Package throttle keeps the calls of one account within what its service and
// its campaigns allow, and as close to that as it can.
//
// Ceilings a minute, those of the campaigns and those in the service's headers,
// are buckets that are refilled at their rate. What the service does not say is
// found by additive increase and multiplicative decrease of the calls at once, as
// in TCP. They begin at 16 and grow fourfold in the time of an answer until calls
// are refused, then are cut and grow linearly around the number at which that was.
// They do not grow while more of them would only wait longer at the service: by
// Little's law, answers a second times four times the usual time of an answer is
// enough, and answers a second times the deadline is the most that can be answered.
// A refusal (429, 503, 529, a deadline that expired) counts against the calls at
// once only if more calls are refused than by chance: the share that is taken for
// chance grows when a cut did not help and shrinks when it did. The one call that
// was refused waits for its own Retry-After, which is up to the caller. If nothing
// gets through any more, everybody waits, for Retry-After or for one to four
// seconds; then one call goes first.
// Campaigns are served in turn, the calls of one in the order of arrival. A waiting
// call leaves when its context ends, its worker stops, or another one of its campaign
// comes back with an error that the operator must fix.
package throttle

import (
	"context"
	"errors"
	"slices"
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

// Throttle is the gate before one account of a service. It is shared by all
// models and campaigns that use the account.
type Throttle struct {
	mu        sync.Mutex
	ceiling   Ceiling
	said      Ceiling // by the service
	account   quota
	campaigns map[string]*campaign
	turns     []*campaign // with waiting calls, the next one first
	window    window
	outage    outage
	block     block // what kept the first waiting call of all at the last look
	timer     *time.Timer
}

// New returns a throttle for an account of which nothing is known but a ceiling.
func New(c Ceiling) *Throttle {
	t := &Throttle{campaigns: map[string]*campaign{}, window: newWindow()}
	t.timer = time.AfterFunc(time.Hour, t.serveAgain)
	t.timer.Stop()
	t.SetCeiling(c)
	return t
}

// SetCeiling changes the ceiling of the account from now on.
func (t *Throttle) SetCeiling(c Ceiling) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.ceiling = c
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

// applyLimits puts the tighter of the ceiling and what the service said in force.
func (t *Throttle) applyLimits(now time.Time) {
	t.account.setCeiling(Ceiling{
		Requests:    tighterOf(t.ceiling.Requests, t.said.Requests),
		Tokens:      tighterOf(t.ceiling.Tokens, t.said.Tokens),
		Concurrency: t.ceiling.Concurrency,
	}, now)
}

func tighterOf(a, b int64) int64 {
	if a <= 0 || b > 0 && b < a {
		return b
	}
	return a
}

// campaign is the line of a campaign's waiting calls.
type campaign struct {
	quota   quota
	line    []*waiter
	perByte mean // tokens of a byte of a prompt
	output  mean // tokens of an answer
}

// waiter is a call that waits.
type waiter struct {
	Call
	campaign *campaign
	tokens   float64 // estimated
	jitter   failure.Jitter
	pass     *Pass         // set before ready is closed
	refused  error         // likewise, if there is no pass
	ready    chan struct{} // closed when the wait is over
}

func (t *Throttle) campaignNamed(name string) *campaign {
	c := t.campaigns[name]
	if c == nil {
		c = &campaign{}
		t.campaigns[name] = c
	}
	return c
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

// Enter waits until a call may be made. The pass must be ended, best by a
// deferred Leave. The error is the context's, ErrStopping, or that of a call of
// the campaign which the operator must fix.
func (t *Throttle) Enter(ctx context.Context, stopping <-chan struct{}, call Call) (*Pass, error) {
	if err := endOf(ctx, stopping); err != nil {
		return nil, err
	}
	w := t.joinLine(call, failure.JitterOf(ctx))
	select {
	case <-w.ready:
	case <-stopping:
	case <-ctx.Done():
	}
	if err := endOf(ctx, stopping); err != nil { // counts even when the pass is there
		t.quitLine(w)
		return nil, err
	}
	return w.pass, w.refused
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
func (t *Throttle) joinLine(call Call, drawn failure.Jitter) *waiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.campaignNamed(call.Campaign)
	w := &waiter{Call: call, campaign: c, tokens: c.estimateTokens(call), jitter: drawn, ready: make(chan struct{})}
	if c.line = append(c.line, w); len(c.line) == 1 { // else those before it wait already
		t.turns = append(t.turns, c)
		t.serveLine(time.Now())
	}
	return w
}

// quitLine takes back a call that will not be made.
func (t *Throttle) quitLine(w *waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case w.refused != nil:
	case w.pass != nil:
		w.pass.giveBack()
	default:
		t.removeWaiter(w.campaign, slices.Index(w.campaign.line, w))
		t.serveLine(time.Now())
	}
}

// removeWaiter takes a call out of its line; the others keep their places.
func (t *Throttle) removeWaiter(c *campaign, i int) {
	if i == 0 {
		c.line[0], c.line = nil, c.line[1:]
	} else {
		c.line = slices.Delete(c.line, i, i+1)
	}
	if len(c.line) == 0 {
		c.line = nil
		t.turns = slices.DeleteFunc(t.turns, func(o *campaign) bool { return o == c })
	}
}

// refuseCampaign ends the wait of all calls of a campaign. The caller holds mu.
func (t *Throttle) refuseCampaign(c *campaign, err error) {
	for len(c.line) > 0 {
		w := c.line[0]
		t.removeWaiter(c, 0)
		w.refused = err
		close(w.ready)
	}
}

func (t *Throttle) serveAgain() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.serveLine(time.Now())
}

// serveLine lets in who may go now, in turn, and sees to it that someone looks
// again when time alone lets the next one in. The caller holds mu.
func (t *Throttle) serveLine(now time.Time) {
	again, served := time.Time{}, true
	for served {
		again, served = t.serveOne(now)
	}
	if t.timer.Stop(); !again.IsZero() {
		t.timer.Reset(again.Sub(now))
	}
}

// serveOne lets in the next call of the first campaign that may make one. If
// there is none it says when to look again; zero if only another call's end
// can change anything.
func (t *Throttle) serveOne(now time.Time) (again time.Time, served bool) {
	t.block = block{}
	for i, c := range t.turns {
		w := c.line[0]
		if own := c.quota.blocksUntil(w.tokens, now); own.For != Nothing {
			again = soonerOf(again, own.Until)
			continue
		}
		if t.block = t.blocksUntil(w.tokens, now); t.block.For != Nothing { // a smaller call must not overtake, or a large one waits forever
			return soonerOf(again, t.block.Until), false
		}
		t.turns = append(slices.Delete(t.turns, i, i+1), c)
		t.removeWaiter(c, 0)
		t.admit(w, now)
		return time.Time{}, true
	}
	return again, false
}

func soonerOf(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// blocksUntil says what keeps the account from making one more call.
func (t *Throttle) blocksUntil(tokens float64, now time.Time) block {
	if now.Before(t.outage.until) {
		return block{For: Provider, Until: t.outage.until, Limit: t.window.callsAtOnce()}
	}
	if b := t.account.blocksUntil(tokens, now); b.For != Nothing {
		return b
	}
	if until, full := t.window.blocksUntil(t.account.inFlight, now); full {
		return block{For: Provider, Until: until, Limit: t.window.callsAtOnce()}
	}
	return block{}
}

// admit gives a call its pass.
func (t *Throttle) admit(w *waiter, now time.Time) {
	t.window.countStart(w.Deadline)
	t.outage.countStart(now)
	w.campaign.quota.take(w.tokens)
	t.account.take(w.tokens)
	w.pass = &Pass{
		throttle: t, waiter: w, entered: now, cut: t.window.cuts,
		requests: t.account.requests.taken, tokens: t.account.tokens.taken,
	}
	close(w.ready)
}
