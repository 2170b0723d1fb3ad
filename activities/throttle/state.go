package throttle

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Reason is what calls wait for.
type Reason string

const (
	Nothing     Reason = ""
	Requests    Reason = "requests per minute"
	Tokens      Reason = "tokens per minute"
	Concurrency Reason = "concurrency"
	Provider    Reason = "provider" // overload, an outage, or the calls at once that it seems to take
)

// Wait is what the waiting calls of a campaign wait for.
type Wait struct {
	For      Reason
	Own      bool      // the campaign's ceiling, not the account's
	Until    time.Time // when the next call may go; zero if that depends on other calls
	Limit    int64     // in force, in the unit of For; calls at once for Provider
	InFlight int       // calls of the campaign under way
	Waiting  int       // calls of the campaign that wait
}

// block is the part of a Wait that is found when calls are let in.
type block struct {
	For   Reason
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
	w := Wait{InFlight: c.quota.inFlight, Waiting: len(c.line)}
	b := block{}
	b, w.Own = t.blockOf(c)
	w.For, w.Until, w.Limit = b.For, b.Until, b.Limit
	return w
}

// blockOf returns what the first waiting call of a campaign waits for, and whether that is
// the campaign's own ceiling.
func (t *Throttle) blockOf(c *campaign) (b block, own bool) {
	if len(c.line) == 0 {
		return block{}, false
	}
	if b = c.quota.blocksUntil(c.line[0].tokens, time.Now()); b.For != Nothing {
		return b, true
	}
	return t.block, false
}

// State is a gate at one moment.
type State struct {
	Account  string         // whose gate it is; empty for that of a campaign
	Campaign string         // whose limits.calls it holds; empty for that of an account
	InFlight int            // calls under way
	Limit    int64          // calls at once that are let in now
	Waiting  map[Reason]int // calls that wait, by what for
}

func (t *Throttle) state() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := State{InFlight: t.account.inFlight, Waiting: map[Reason]int{}}
	own := int64(0) // of all campaigns together
	for _, c := range t.campaigns {
		own += int64(c.quota.ceiling.Concurrency)
		if len(c.line) > 0 {
			b, _ := t.blockOf(c)
			s.Waiting[b.For] += len(c.line)
		}
	}
	s.Limit = tighterOf(tighterOf(t.window.callsAtOnce(), int64(t.ceiling.Concurrency)), own)
	return s
}

// Registry has one Throttle for each account and each campaign of a process. The
// zero value is ready.
type Registry struct {
	mu  sync.Mutex
	all map[gate]*Throttle
}

// gate is the name of a throttle: one of the two is empty.
type gate struct{ account, campaign string }

// Account returns the throttle of an account, which is named by its endpoint and a
// fingerprint of its key, never by the key.
func (r *Registry) Account(name string) *Throttle { return r.named(gate{account: name}, firstWindow) }

// Campaign returns the throttle of a campaign, for the calls of all its models
// together. Only its ceiling counts: there is no service behind it to find out about.
func (r *Registry) Campaign(name string) *Throttle { return r.named(gate{campaign: name}, mostAtOnce) }

func (r *Registry) named(name gate, window float64) *Throttle {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[gate]*Throttle{}
	}
	t := r.all[name]
	if t == nil {
		t = New(Ceiling{})
		t.window.limit = window
		r.all[name] = t
	}
	return t
}

// States returns the gates of all accounts and campaigns, sorted.
func (r *Registry) States() []State {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []State
	for name, t := range r.all {
		s := t.state()
		s.Account, s.Campaign = name.account, name.campaign
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b State) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Campaign, b.Campaign))
	})
	return all
}
