package money

// Standing is the state of an account as far as this process knows.
type Standing struct {
	Spent Amount // charged, at the worst case where the cost is not known
	Held  Amount // for calls under way, and granted to others where there is a cap
	Over  Amount // billed by services above what a call could cost
	Caps  Caps
}

// Standing returns the present state.
func (a *Account) Standing() Standing {
	a.mu.Lock()
	defer a.mu.Unlock()
	return Standing{Spent: a.others.Add(a.used), Held: a.caps.cappedPart(a.leased).Add(a.held),
		Over: a.over, Caps: a.caps}
}
