package throttle

import "time"

// Reason is what calls wait for.
type Reason string

const (
	Nothing     Reason = ""
	Requests    Reason = "requests per minute"
	Tokens      Reason = "tokens per minute"
	Concurrency Reason = "calls at once"
	Provider    Reason = "provider" // overload, Retry-After, or the calls at once that it seems to take
)

// Wait is what the waiting calls of a campaign wait for.
type Wait struct {
	For      Reason
	Own      bool      // the campaign's ceiling, not the account's
	Since    time.Time // when the service's refusal closed the account; zero if none did
	Told     bool      // that refusal said for how long
	Until    time.Time // when the next call may go; zero if that depends on other calls
	Limit    int64     // in force, in the unit of For; calls at once for Provider
	InFlight int       // calls of the campaign under way
	Waiting  int       // calls of the campaign that wait
}

// block is the part of a Wait that is found when calls are let in.
type block struct {
	For   Reason
	Since time.Time
	Told  bool
	Until time.Time
	Limit int64
}

// Waiting says what the calls of a campaign wait for. It is cheap.
func (t *Throttle) Waiting(campaign string) Wait {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.campaigns[campaign]
	if c == nil {
		return Wait{}
	}
	w := Wait{InFlight: c.quota.inFlight, Waiting: c.line.Len()}
	if w.Waiting == 0 {
		return w
	}
	b := c.quota.blocksUntil(c.firstWaiter().tokens, time.Now())
	w.Own = b.For != Nothing
	if !w.Own {
		b = t.block
	}
	w.For, w.Since, w.Told, w.Until, w.Limit = b.For, b.Since, b.Told, b.Until, b.Limit
	return w
}
