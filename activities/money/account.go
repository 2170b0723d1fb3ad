package money

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"roundtable/analysis/lake/store"
	"sync"
	"time"
)

// Config says which campaign an Account is for, and how it keeps it under its caps.
type Config struct {
	Store    store.Store
	Campaign string
	Caps     Caps
	// Count sums up the campaign's ledger: answers at what they cost, calls
	// announced but not answered at their worst case. It is asked when an
	// Account opens alone or nothing seems to be left.
	Count func(context.Context) (Amount, error)
	// Exclusive says that no other process spends for the campaign while this
	// Account opens: what earlier ones left behind is counted at once. One that
	// comes later is found in the log, and its grants are kept.
	Exclusive bool
	// Idle is how long a grant that others may wait for is kept without a reserve; for
	// its whole time if zero.
	Idle time.Duration

	TTL  time.Duration                        // of a grant; 10 min if zero
	Poll time.Duration                        // between looks at what others did; 2 s if zero
	Now  func() time.Time                     // time.Now if nil
	Wait func(time.Duration) <-chan time.Time // time.After if nil
}

// Account keeps one campaign under its caps. Its processes share the cap through
// a log in the store: each takes a grant, reserves from it in memory, and takes
// another when it runs out. A grant that its owner does not renew expires; then
// the ledger is counted again, so what a dead process reserved is not lost.
// Safe for concurrent use.
type Account struct {
	config Config
	owner  string

	// turn is held by the one Reserve that may look beyond the grant. The runtime
	// serves those that wait for it in the order in which they came.
	turn chan struct{}
	log  *book // of who holds the turn

	mu      sync.Mutex
	waiting int           // Reserves that want or hold the turn
	changed chan struct{} // closed when something was given back or the caps changed
	caps    Caps
	tuned   int // times that the caps were changed
	closed  bool
	watched bool // a look of watchIdle is to come

	// What is granted is used, held or free.
	epoch    int    // recounts; a hold of an earlier one is in the ledger's count
	granted  Amount // by the latest entry: used and open
	used     Amount // charged since the last recount
	held     Amount // worst cases of open holds
	holds    int
	reserved int       // holds ever taken
	older    int       // open holds from before the last recount
	until    time.Time // no reserve from the grant after this
	rough    bool      // something is charged at its worst case
	over     Amount    // billed above the worst case
	others   Amount    // the base and what others used, when last looked
	leased   Amount    // open grants of others, when last looked
}

// Open opens a campaign's account. If c.Exclusive is set, or nobody has counted yet, it first
// counts the ledger.
func Open(ctx context.Context, c Config) (*Account, error) {
	if c.TTL == 0 {
		c.TTL = 10 * time.Minute
	}
	if c.Poll == 0 {
		c.Poll = 2 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Wait == nil {
		c.Wait = time.After
	}
	if c.Store == nil || c.Campaign == "" || c.Count == nil {
		return nil, errors.New("money: an account needs a store, a campaign and a way to count its ledger")
	}
	a := &Account{
		config: c, owner: rand.Text(), caps: c.Caps,
		turn: make(chan struct{}, 1), log: newBook(c.Store, c.Campaign), changed: make(chan struct{}),
	}
	a.log.now, a.log.ttl = c.Now, c.TTL
	if err := a.log.openLog(ctx); err != nil {
		return nil, a.explainError(err)
	}
	for counted := !c.Exclusive && a.log.counts > 0; !counted; {
		before := a.log.counts
		if err := a.recountLog(ctx); err != nil {
			return nil, a.explainError(err)
		}
		counted = a.log.counts > before // ours; or another's, if others may count
	}
	a.readPosition()
	return a, nil
}

func (a *Account) explainError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the budget of campaign %s: %w", a.config.Campaign, err)
}

// SetCaps changes the caps. Holds stay as they are; waiting calls try again.
func (a *Account) SetCaps(c Caps) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.caps = c
	a.tuned++
	a.until = time.Time{} // the grant was measured by the old caps
	a.wakeWaiting()
}

// Close returns what is not used to the budget. Calls under way stay reserved until the grant
// expires. Reserve fails after it.
func (a *Account) Close(ctx context.Context) error {
	a.mu.Lock()
	a.closed = true
	a.wakeWaiting()
	a.mu.Unlock()
	if err := a.takeTurn(ctx); err != nil {
		return a.explainError(err)
	}
	defer a.leaveTurn()
	return a.explainError(a.settleAll(ctx))
}

// takeTurn waits for the turn.
func (a *Account) takeTurn(ctx context.Context) error {
	a.mu.Lock()
	a.waiting++
	a.mu.Unlock()
	select {
	case a.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		a.mu.Lock()
		a.waiting--
		a.mu.Unlock()
		return ctx.Err()
	}
}

func (a *Account) leaveTurn() {
	a.mu.Lock()
	a.waiting--
	a.mu.Unlock()
	<-a.turn
}

// wakeWaiting lets the one that waits look again. The caller holds mu.
func (a *Account) wakeWaiting() {
	if a.waiting > 0 {
		close(a.changed)
		a.changed = make(chan struct{})
	}
}
