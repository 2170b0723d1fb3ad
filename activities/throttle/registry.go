package throttle

import "sync"

// Registry has one Throttle for each account and each campaign of a process. The
// zero value is ready.
type Registry struct {
	mu                  sync.Mutex
	accounts, campaigns map[string]*Throttle
}

// Account returns the throttle of an account, which is named by its endpoint and a
// fingerprint of its key, never by the key.
func (r *Registry) Account(name string) *Throttle {
	r.mu.Lock()
	defer r.mu.Unlock()
	return findOrMake(&r.accounts, name, firstWindow)
}

// Campaign returns the throttle of a campaign, for the calls of all its models
// together. Only its ceiling counts: there is no service behind it to find out about.
func (r *Registry) Campaign(name string) *Throttle {
	r.mu.Lock()
	defer r.mu.Unlock()
	return findOrMake(&r.campaigns, name, mostAtOnce)
}

// Reopen lets a call to each account be tried at once, see Throttle.Reopen.
func (r *Registry) Reopen() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.accounts {
		t.Reopen()
	}
}

func findOrMake(all *map[string]*Throttle, name string, window float64) *Throttle {
	if *all == nil {
		*all = map[string]*Throttle{}
	}
	t := (*all)[name]
	if t == nil {
		t = New(Ceiling{})
		t.window.limit = window
		(*all)[name] = t
	}
	return t
}
