// Package throttle keeps the calls of one account within the limits of its service and its campaigns:
//
//  1. Ceilings, set or stated by the service, hold in every minute; tokens are estimated, then corrected.
//  2. What is not stated is found by a window: so many calls at once, spread over the time of an answer,
//     so that it is a rate as well. It doubles every 200 ms until the first refusal, then in the time of
//     an answer until the first cut.
//  3. Refusals are borne until they add up beyond a share of the calls. Then the peak becomes the part of
//     the window that passed, and the window 80 % of it, which follows a cubic curve over the answers: fast
//     back, flat around the peak, then faster and faster.
//  4. Chance does not depend on the window: what is refused well below the peak, up to 15 %, is borne there,
//     and near the peak as well. A service that refuses more by chance gets fewer and fewer calls.
//  5. If nothing gets through, the account is closed for the Retry-After, else for up to 1, 2, 4 seconds;
//     then one call is tried, and if it is taken, others follow. Where a Retry-After closes it again,
//     the window is set to what got through between.
//  6. Where calls only queue, no more are made at once than are answered before their deadline.
//  7. Campaigns are served in turn, their calls in the order of arrival.
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

// Ceiling is a hard limit in any minute; values ≤ 0 mean none.
type Ceiling struct {
	Requests int64
	Tokens   int64 // input and output
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
	account   quota
	campaigns map[string]*campaign
	turns     []*campaign // those with waiting calls, the next one first
	window    window
	block     Wait      // what kept the first waiting call of all at the last look
	looked    time.Time // when that was
	timer     *time.Timer
}

// campaign is the line of a campaign's waiting calls.
type campaign struct {
	most     int // calls at once; ≤ 0 is any number
	inFlight int
	line     []*Pass
	perByte  mean // tokens of a byte of a prompt
	output   mean // tokens of an answer
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
	t.change(func(now time.Time) {
		t.account.set = c
		t.account.updateCeiling(now)
	})
}

// SetCampaignCeiling sets how many calls at once a campaign may make from now on; ≤ 0 is any number.
func (t *Throttle) SetCampaignCeiling(campaign string, most int) {
	t.change(func(time.Time) { t.campaignNamed(campaign).most = most })
}

// isFull reports whether the campaign has as many calls at once as it may.
func (c *campaign) isFull() bool { return c.most > 0 && c.inFlight >= c.most }

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
		if c.isFull() {
			i++
			continue
		}
		// a smaller call must not overtake, or a large one waits forever
		if t.block = t.window.closedUntil(now); t.block.For == Nothing {
			t.block = t.account.blocksUntil(p.tokens, now)
		}
		if t.block.For == Nothing {
			t.block = t.window.blocksUntil(t.account.inFlight, now)
		}
		if t.block.For != Nothing {
			again = t.block.Until
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

// admit gives a call its place.
func (t *Throttle) admit(p *Pass, now time.Time) {
	t.leaveLine(p)
	p.entered = now
	p.campaign.inFlight++
	t.account.inFlight++
	t.account.requests.level--
	t.account.tokens.level -= p.tokens
	t.window.start(p, now)
	close(p.ready)
}
