package throttle

import "sync"

// Registry has one Throttle for each account of a process. The zero value is ready.
type Registry struct {
	mu       sync.Mutex
	accounts map[string]*Throttle
}

// Account returns the throttle of an account, which is named by its endpoint and a
// fingerprint of its key, never by the key.
func (r *Registry) Account(name string) *Throttle {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.accounts[name]
	if t == nil {
		if r.accounts == nil {
			r.accounts = map[string]*Throttle{}
		}
		t = New(Ceiling{})
		r.accounts[name] = t
	}
	return t
}
