package throttle

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Registry has one Throttle for each account and each campaign of a process. The zero value is
// ready.
type Registry struct {
	mu  sync.Mutex
	all map[gateName]*Throttle
}

type gateName struct{ account, campaign string }

// Account returns the throttle of an account, which is named by its endpoint and a fingerprint
// of its key, never by the key.
func (r *Registry) Account(name string) *Throttle {
	return r.findOrMake(gateName{account: name}, firstWindow)
}

// Campaign returns the throttle of a campaign, for the calls of all its models together. Only
// its ceiling counts: there is no service behind it to find out about.
func (r *Registry) Campaign(name string) *Throttle {
	return r.findOrMake(gateName{campaign: name}, mostAtOnce)
}

func (r *Registry) findOrMake(name gateName, window float64) *Throttle {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.all[name]
	if t == nil {
		t = New(Ceiling{})
		t.window.limit = window
		if r.all == nil {
			r.all = map[gateName]*Throttle{}
		}
		r.all[name] = t
	}
	return t
}

// Reopen lets a call to each account be tried at once, see Throttle.Reopen.
func (r *Registry) Reopen() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.all {
		t.Reopen()
	}
}

// State is a gate at one moment.
type State struct {
	Account  string         // whose gate it is; empty for that of a campaign
	Campaign string         // whose limits.calls it holds; empty for that of an account
	InFlight int            // calls under way
	Limit    int64          // calls at once that are let in now
	Waiting  map[Reason]int // calls that wait, by what for
}

// States returns the gates of all accounts and campaigns, sorted.
func (r *Registry) States() []State {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []State
	for name, t := range r.all {
		s := t.currentState()
		s.Account, s.Campaign = name.account, name.campaign
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b State) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Campaign, b.Campaign))
	})
	return all
}

func (t *Throttle) currentState() State {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := State{InFlight: t.account.inFlight, Waiting: map[Reason]int{}}
	own := int64(0) // of all campaigns together
	for _, c := range t.campaigns {
		own += int64(c.quota.ceiling.Concurrency)
		if w := t.waitOf(c); w.Waiting > 0 {
			s.Waiting[w.For] += w.Waiting
		}
	}
	s.Limit = tighterOf(own, tighterOf(int64(t.ceiling.Concurrency), t.window.callsAtOnce()))
	return s
}

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

// Waiting says what the calls of a campaign wait for. It is cheap.
func (t *Throttle) Waiting(campaign string) Wait {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.campaigns[campaign]; c != nil {
		return t.waitOf(c)
	}
	return Wait{}
}

func (t *Throttle) waitOf(c *campaign) (w Wait) {
	if c.line.Len() > 0 {
		w = c.quota.blocksUntil(c.firstInLine().tokens, time.Now())
		if w.Own = w.For != Nothing; !w.Own {
			w = t.block
		}
	}
	w.InFlight, w.Waiting = c.quota.inFlight, c.line.Len()
	return w
}
