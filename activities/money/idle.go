package money

import (
	"context"
	"time"
)

// watchIdle looks after a while whether a call has reserved since. If not, it gives the
// grant back, and looks again while calls under way may leave something of it. What cannot
// be given back expires. The caller holds mu.
func (a *Account) watchIdle(reserved int) {
	a.watched = true
	time.AfterFunc(a.config.Idle, func() {
		a.mu.Lock()
		idle := a.reserved == reserved
		if a.watched = false; !a.closed && (!idle || a.holds+a.older > 0) {
			a.watchIdle(a.reserved)
		}
		a.mu.Unlock()
		if idle {
			a.giveBackFree()
		}
	})
}

func (a *Account) giveBackFree() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if a.takeTurn(ctx) == nil {
		_ = a.settleAll(ctx)
		a.leaveTurn()
	}
}
