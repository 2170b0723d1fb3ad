// Package throttle keeps the calls of one account within the limits of its service and
// its campaigns, and as close to them as it can. The scheme:
//
//  1. No minute has more calls than a ceiling, or than a limit that the service states, once it has; tokens
//     are estimated before a call and corrected after it.
//  2. What is not stated is found by a window: so many calls at once, spread over the time of an
//     answer, so that it is a rate as well.
//  3. It doubles every 200 ms until the first refusal (busy, or a deadline that passes), then in the
//     time of an answer until the first cut. An unknown limit is only found by being refused: of ten
//     calls a minute, each refusal is 1 % of ten minutes.
//  4. Refusals are borne until they add up beyond a share of the calls: 15 % where the window is
//     well below its peak, so that fewer calls would not spare them; there that share is measured. A
//     service that refuses more by chance gets fewer and fewer calls.
//  5. Near the peak little more than the measured share is borne.
//  6. Then the peak becomes the part of the window that passed, from 25 to 95 %, and the window 80 % of it.
//  7. From there it follows a cubic curve over the calls that are answered: fast back, flat around the
//     peak, then faster and faster.
//  8. If all calls since the last cut are refused, or no answer came yet, the account is closed for the
//     Retry-After and up to a tenth more, ten minutes at most, else for up to a second, then two, then four;
//     then one call is tried, and if the service takes it, the others follow.
//  9. Where calls only queue, no more are made at once than can be answered before their deadline, 64
//     before the first answer.
//  10. Campaigns are served in turn, the calls of one in the order of arrival; a call leaves when its
//     context ends, its worker stops, or another one of its campaign ends in an error that the
//     operator must fix. How long a refused call waits is up to its caller.
package throttle

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"roundtable/activities/failure"
)

// ErrStopping ends a wait because the worker is stopping.
var ErrStopping = errors.New("the worker is stopping; the call was not made")

// Ceiling is a hard limit; values ≤ 0 mean none.
type Ceiling struct {
	Requests    int64 // in any minute
	Tokens      int64 // in any minute, input and output
	Concurrency int   // calls at once
}

// Call is what the throttle must know of a call before it is made.
type Call struct {
	Campaign  string
	Bytes     int           // of the prompt, for the estimate of its tokens
	MaxOutput int           // tokens; 0 if the request sets no limit
	Deadline  time.Duration // how long the caller waits for its answer; 0 is no limit
}

// Throttle limits the calls of one account of a service, which all campaigns share.
type Throttle struct {
	mu        sync.Mutex
	account   quota // as set
	service   quota // as it says
	campaigns map[string]*campaign
	turns     []*campaign // those with waiting calls, the next one first
	window    window
	block     Wait      // what kept the first waiting call of all at the last look
	looked    time.Time // when that was
	timer     *time.Timer
}

// campaign is the line of a campaign's waiting calls.
type campaign struct {
	quota   quota
	line    []*Pass
	perByte mean // tokens of a byte of a prompt
	output  mean // tokens of an answer
}

// New returns the throttle of an account of which only the ceiling is known.
func New(c Ceiling) *Throttle {
	t := &Throttle{campaigns: map[string]*campaign{}, window: window{limit: firstWindow, trip: mean{value: 1}}}
	t.timer = time.AfterFunc(time.Hour, func() { t.change(func(time.Time) {}) })
	t.SetCeiling(c)
	return t
}

// change does what it is told while nobody else does, and lets in who may go then.
func (t *Throttle) change(do func(now time.Time)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	do(now)
	t.serveLine(now)
}

// SetCeiling sets the account's ceiling from now on.
func (t *Throttle) SetCeiling(c Ceiling) {
	t.change(func(now time.Time) { t.account.setCeiling(c, now) })
}

// SetCampaignCeiling sets what one campaign may take of this account from now on.
func (t *Throttle) SetCampaignCeiling(campaign string, c Ceiling) {
	t.change(func(now time.Time) { t.campaignNamed(campaign).quota.setCeiling(c, now) })
}

// Reopen lets one call be tried at once if refusals have closed the account; if it passes, others follow.
func (t *Throttle) Reopen() { t.change(t.window.tryNow) }

// Enter waits until call may be made, and returns its pass, which must be ended: defer Leave. The error
// is that of ctx, ErrStopping, or that of another call of the campaign that the operator must fix.
func (t *Throttle) Enter(ctx context.Context, stopping <-chan struct{}, call Call) (*Pass, error) {
	if err := endOf(ctx, stopping); err != nil {
		return nil, err
	}
	p := &Pass{throttle: t, call: call, jitter: failure.JitterOf(ctx), ready: make(chan struct{})}
	t.change(func(time.Time) { t.joinLine(p) })
	select {
	case <-p.ready:
	case <-stopping:
	case <-ctx.Done():
	}
	err := endOf(ctx, stopping) // counts even when the place is there
	if err == nil {
		err = p.turnedAway
	}
	if err != nil {
		p.Leave()
		return nil, err
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
func (t *Throttle) joinLine(p *Pass) {
	p.campaign = t.campaignNamed(p.call.Campaign)
	p.tokens = p.campaign.estimateTokens(p.call)
	if p.campaign.line = append(p.campaign.line, p); len(p.campaign.line) == 1 {
		t.turns = append(t.turns, p.campaign)
	}
}

// leaveLine takes a call out of its line; the others keep their places.
func (t *Throttle) leaveLine(p *Pass) {
	c := p.campaign
	i := slices.Index(c.line, p)
	if c.line = slices.Delete(c.line, i, i+1); len(c.line) == 0 {
		t.turns = slices.DeleteFunc(t.turns, func(other *campaign) bool { return other == c })
	}
}

func (t *Throttle) campaignNamed(name string) *campaign {
	if t.campaigns[name] == nil {
		t.campaigns[name] = &campaign{perByte: mean{value: 0.25}, output: mean{value: unknownOutput}}
	}
	return t.campaigns[name]
}

// serveLine lets in who may go now, in turn, and looks again when another one may. The caller
// holds mu.
func (t *Throttle) serveLine(now time.Time) {
	if t.block.For == Provider {
		t.window.grow(now.Sub(t.looked), t.account.inFlight)
	}
	t.looked, t.block = now, Wait{}
	again := time.Time{} // only another call's end can change anything
	for i := 0; i < len(t.turns) && t.block.For == Nothing; {
		c := t.turns[i]
		p := c.line[0]
		if own := c.quota.blocksUntil(p.tokens, now); own.For != Nothing {
			again = soonerOf(again, own.Until)
			i++
			continue
		}
		// a smaller call must not overtake, or a large one waits forever
		if t.block = t.blocksUntil(p.tokens, now); t.block.For != Nothing {
			again = soonerOf(again, t.block.Until)
			continue
		}
		t.admit(p, now)
		if len(c.line) > 0 {
			t.turns = append(slices.Delete(t.turns, i, i+1), c)
		}
	}
	if t.timer.Stop(); !again.IsZero() {
		t.timer.Reset(again.Sub(now))
	}
}

// blocksUntil says what keeps the account from making one more call.
func (t *Throttle) blocksUntil(tokens float64, now time.Time) Wait {
	if w := t.window.closedUntil(now); w.For != Nothing {
		return w
	}
	for _, q := range []*quota{&t.account, &t.service} {
		if w := q.blocksUntil(tokens, now); w.For != Nothing {
			return w
		}
	}
	return t.window.blocksUntil(t.account.inFlight, now)
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
	p.sent, p.sentTokens = t.service.requests.taken, t.service.tokens.taken
	t.window.start(p, now)
	close(p.ready)
}

func soonerOf(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
