package throttle

import (
	"cmp"
	"slices"
	"sync"
	"time"
)

// Registry has one Throttle for each account and each campaign of a process. The zero value is
// ready.
type Registry struct{ all sync.Map } // of Throttles by gateName

type gateName struct{ account, campaign string }

// Account returns the throttle of an account, made if needed. Its name is an endpoint, the name of the
// variable with its key, and a model.
func (r *Registry) Account(name string) *Throttle {
	return r.findOrMake(gateName{account: name}, firstWindow)
}

// Campaign returns the throttle of a campaign, for the calls of all its models together. Set its
// ceiling with SetCampaignCeiling; it learns nothing, since no service is behind it.
func (r *Registry) Campaign(name string) *Throttle {
	return r.findOrMake(gateName{campaign: name}, mostAtOnce)
}

func (r *Registry) findOrMake(name gateName, window float64) *Throttle {
	t := New(Ceiling{})
	t.window.limit = window
	found, _ := r.all.LoadOrStore(name, t)
	return found.(*Throttle)
}

// Reopen calls Throttle.Reopen of every account.
func (r *Registry) Reopen() {
	for _, t := range r.all.Range {
		t.(*Throttle).Reopen()
	}
}

// State is a throttle at one moment.
type State struct {
	Account  string         // whose throttle it is; empty for that of a campaign
	Campaign string         // whose limits.calls it enforces; empty for that of an account
	InFlight int            // calls under way
	Limit    int64          // calls at once that are allowed now
	Waiting  map[Reason]int // number of waiting calls, by what they wait for
}

// States returns the state of every account's and campaign's throttle, sorted.
func (r *Registry) States() []State {
	var all []State
	for name, t := range r.all.Range {
		s := t.(*Throttle).currentState()
		s.Account, s.Campaign = name.(gateName).account, name.(gateName).campaign
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
		own += int64(c.most)
		if w := t.waitOf(c); w.Waiting > 0 {
			s.Waiting[w.For] += w.Waiting
		}
	}
	s.Limit = tighterOf(own, t.window.callsAtOnce())
	return s
}

// Reason is what calls wait for.
type Reason string

const (
	Nothing     Reason = ""
	Requests    Reason = "requests per minute"
	Tokens      Reason = "tokens per minute"
	Concurrency Reason = "calls at once"
	Provider    Reason = "provider" // overload, Retry-After, or the concurrency found to be accepted
)

// Wait is what a campaign's calls wait for.
type Wait struct {
	For      Reason
	Since    time.Time // when the service's refusal closed the account; zero if none did
	Told     bool      // that refusal said how long to wait
	Until    time.Time // when the next call may go; zero if that depends on other calls
	Limit    int64     // in force, in the unit of For; calls at once for Provider
	InFlight int       // calls of the campaign under way
	Waiting  int       // calls of the campaign that wait
}

// Waiting returns what a campaign's calls wait for; For is Nothing if none waits. It is cheap.
func (t *Throttle) Waiting(campaign string) Wait {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c := t.campaigns[campaign]; c != nil {
		return t.waitOf(c)
	}
	return Wait{}
}

func (t *Throttle) waitOf(c *campaign) (w Wait) {
	switch {
	case len(c.line) == 0:
	case c.isFull():
		w = Wait{For: Concurrency, Limit: int64(c.most)}
	default:
		w = t.block
	}
	w.InFlight, w.Waiting = c.inFlight, len(c.line)
	return w
}
