package throttle

import (
	"container/list"
	"time"

	"roundtable/activities/failure"
)

// quota counts calls against a ceiling: of the account or of a campaign.
type quota struct {
	ceiling          Ceiling
	requests, tokens bucket
	inFlight         int
}

func (q *quota) setCeiling(c Ceiling, now time.Time) {
	if c == q.ceiling {
		return
	}
	q.ceiling = c
	limitBucket(&q.requests, c.Requests, now)
	limitBucket(&q.tokens, c.Tokens, now)
}

func limitBucket(b *bucket, perMinute int64, now time.Time) {
	if perMinute <= 0 {
		*b = bucket{}
		return
	}
	b.perMinute(perMinute, now)
}

func (q *quota) blocksUntil(tokens float64, now time.Time) block {
	if most := q.ceiling.Concurrency; most > 0 && q.inFlight >= most {
		return block{For: Concurrency, Limit: int64(most)}
	}
	if at := q.requests.waitFor(1, now); !at.IsZero() {
		return block{For: Requests, Until: at, Limit: q.ceiling.Requests}
	}
	if at := q.tokens.waitFor(tokens, now); !at.IsZero() {
		return block{For: Tokens, Until: at, Limit: q.ceiling.Tokens}
	}
	return block{}
}

func (q *quota) takeTokens(tokens float64) {
	q.inFlight++
	q.requests.take(1)
	q.tokens.take(tokens)
}

// campaign is the line of a campaign's waiting calls.
type campaign struct {
	quota   quota
	line    list.List     // of *waiter
	turn    *list.Element // its place among the campaigns; nil if nothing waits
	perByte mean          // tokens of a byte of a prompt
	output  mean          // tokens of an answer
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

// firstWaiter returns the call that waits longest.
func (c *campaign) firstWaiter() *waiter { return c.line.Front().Value.(*waiter) }

// waiter is a call that waits.
type waiter struct {
	campaign *campaign
	bytes    int
	tokens   float64
	deadline time.Duration
	jitter   failure.Jitter
	place    *list.Element
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

// removeWaiter takes a call out of its line; the others keep their places.
func (t *Throttle) removeWaiter(w *waiter) {
	c := w.campaign
	c.line.Remove(w.place)
	if c.line.Len() == 0 {
		t.turns.Remove(c.turn)
		c.turn = nil
	}
}
