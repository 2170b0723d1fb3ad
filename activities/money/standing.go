package money

// Standing is the state of an account as this process knows it.
type Standing struct {
	Spent Amount // charged; at the worst case if the cost is not known
	Held  Amount // for calls under way and, if there is a cap, in grants of other processes
	Over  Amount // billed by services above what a call could cost
	Caps  Caps
}

// Standing returns the account's state as of now.
func (a *Account) Standing() Standing {
	a.mu.Lock()
	defer a.mu.Unlock()
	return Standing{Spent: a.others.Add(a.used), Held: a.caps.cappedPart(a.leased).Add(a.held),
		Over: a.over, Caps: a.caps}
}
