package throttle

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

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
	accounts, campaigns := maps.Clone(r.accounts), maps.Clone(r.campaigns)
	r.mu.Unlock()
	var all []State
	for name, t := range accounts {
		s := t.currentState()
		s.Account = name
		all = append(all, s)
	}
	for name, t := range campaigns {
		s := t.currentState()
		s.Campaign = name
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
	s := State{InFlight: t.account.inFlight, Limit: t.window.callsAtOnce(), Waiting: map[Reason]int{}}
	if most := int64(t.ceiling.Concurrency); most > 0 {
		s.Limit = min(s.Limit, most)
	}
	own := int64(0) // of all campaigns together
	for _, c := range t.campaigns {
		own += int64(c.quota.ceiling.Concurrency)
		if c.line.Len() == 0 {
			continue
		}
		b := c.quota.blocksUntil(c.firstWaiter().tokens, time.Now())
		if b.For == Nothing {
			b = t.block
		}
		s.Waiting[b.For] += c.line.Len()
	}
	if own > 0 {
		s.Limit = min(s.Limit, own)
	}
	return s
}
