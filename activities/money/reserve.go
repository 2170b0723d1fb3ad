package money

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// ErrSpent is the error that a SpentError wraps.
var ErrSpent = errors.New("budget reached")

// IsSpent reports whether the reason of a pause is ErrSpent. An error that has been through a
// workflow's history is only text.
func IsSpent(reason string) bool { return strings.Contains(reason, ErrSpent.Error()) }

// ErrClosed is returned by Reserve after the account was closed.
var ErrClosed = errors.New("the account is closed")

// SpentError says that a call does not fit under the caps, even if the calls under way turn out to
// be free.
type SpentError struct {
	Campaign            string
	Spent, Held, Wanted Amount
	Caps                Caps
}

func (e *SpentError) Error() string {
	return fmt.Sprintf("campaign %s: %v: %s of %s spent, calls of unknown outcome included; %s reserved for calls "+
		"under way; the next call may cost up to %s",
		e.Campaign, ErrSpent, e.Caps.show(e.Spent), e.Caps, e.Caps.show(e.Held), e.Caps.show(e.Wanted))
}

func (e *SpentError) Unwrap() error { return ErrSpent }

// Flags returns the command-line flags that raise the caps which the call does not fit under.
func (e *SpentError) Flags() string {
	var flags []string
	sum, most := e.Spent.Add(e.Held).Add(e.Wanted), e.Caps.asAmount()
	if sum.NanoUSD > most.NanoUSD {
		flags = append(flags, "--cost-usd N")
	}
	if sum.Tokens > most.Tokens {
		flags = append(flags, "--tokens N")
	}
	return strings.Join(flags, " ")
}

// Reserve reserves the worst case of one call. If it fits only after calls under way are settled,
// Reserve waits for them, first come, first served. If it can never fit, the error is a SpentError.
// Write the call's intent right after it, see Hold.Late.
func (a *Account) Reserve(ctx context.Context, worst Amount) (*Hold, error) {
	if worst.isNegative() || !worst.isWithin(Amount{maxAmount, maxAmount}) {
		return nil, a.explainError(fmt.Errorf("%s cannot be reserved", worst))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a.mu.Lock()
	if a.waiting == 0 {
		if h := a.holdFromGrant(worst); h != nil {
			a.mu.Unlock()
			return h, nil
		}
	}
	a.mu.Unlock()
	if err := a.takeTurn(ctx); err != nil {
		return nil, err
	}
	defer a.leaveTurn()
	return a.fundHold(ctx, worst)
}

// holdFromGrant takes from the grant; nil if it does not reach. The caller holds mu.
func (a *Account) holdFromGrant(worst Amount) *Hold {
	free := a.granted.Sub(a.used).Sub(a.held)
	if a.closed || !worst.isWithin(free) || isOver(a.config.Now(), a.until) {
		return nil
	}
	a.held = a.held.Add(worst)
	a.holds++
	a.reserved++
	return &Hold{account: a, worst: worst, epoch: a.epoch, fence: a.until.Add(a.config.TTL / 20)}
}

// fundHold gets a hold by all means. The caller holds the turn.
func (a *Account) fundHold(ctx context.Context, worst Amount) (*Hold, error) {
	for first := true; ; {
		a.mu.Lock()
		h, closed, changed := a.holdFromGrant(worst), a.closed, a.changed
		a.mu.Unlock()
		if h != nil {
			return h, nil
		}
		if closed {
			return nil, a.explainError(ErrClosed)
		}
		wait, err := a.makeRoom(ctx, worst, first)
		if err != nil {
			var spent *SpentError
			if errors.As(err, &spent) || ctx.Err() != nil {
				return nil, err
			}
			return nil, a.explainError(err)
		}
		if !wait {
			continue
		}
		first = false
		select {
		case <-changed:
		case <-a.config.Wait(a.config.Poll):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// position is the memory of an account at one moment.
type position struct {
	used, held Amount
	caps       Caps
	tuned      int
	holds      int  // all that are open
	uncounted  bool // a recount may find less
}

// readPosition takes over what the log says and returns the position. The caller holds the turn.
func (a *Account) readPosition() position {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.epoch < a.log.counts {
		a.epoch, a.used, a.held = a.log.counts, Amount{}, Amount{}
		a.older, a.holds = a.older+a.holds, 0
		a.until, a.rough = time.Time{}, false
	}
	mine := a.log.owners[a.owner]
	a.granted = mine.Used.Add(mine.Open)
	f := a.log.grantsOfOthers(a.owner)
	a.others, a.leased = a.log.base.Used.Add(f.used), f.open
	// A count that is a while old may hold worst cases of calls that were answered since;
	// how old one of the future is nobody knows: the clock went back.
	age := a.config.Now().Sub(time.UnixMicro(a.log.base.CountedAt))
	old := age >= a.config.TTL/10 || age < 0
	return position{
		used: a.used, held: a.held, caps: a.caps, tuned: a.tuned, holds: a.holds + a.older,
		uncounted: a.rough || f.any || a.older > 0 || old,
	}
}

// makeRoom does the next thing that may make room, or says that waiting may.
func (a *Account) makeRoom(ctx context.Context, worst Amount, first bool) (wait bool, err error) {
	p := a.readPosition()
	f := a.log.grantsOfOthers(a.owner)
	limit := p.caps.asAmount()
	spent := a.log.base.Used.Add(f.used).Add(p.used)
	if room := limit.Sub(spent).Sub(f.open).Sub(p.held); worst.isWithin(room) {
		return false, a.extendGrant(ctx, p, worst, room)
	}
	read := a.log.last
	if err := a.log.readNew(ctx); err != nil || a.log.last != read {
		return false, err
	}
	if !worst.isWithin(limit) || !p.uncounted && !spent.Add(worst).isWithin(limit) {
		return false, &SpentError{Campaign: a.config.Campaign, Spent: spent,
			Held: p.caps.cappedPart(f.open).Add(p.held), Wanted: worst, Caps: p.caps}
	}
	if _, settled := a.settledEntry(); !settled && (f.any || !a.config.Exclusive) && (first || p.holds == 0) {
		return false, a.giveBack(ctx) // others may wait for it, as this one does for theirs
	}
	// A recount would count own calls under way, too. An account that was
	// opened alone has begun a new log: every process in it lives.
	if p.holds > 0 || a.config.Now().Before(f.until) {
		return true, nil
	}
	return false, a.recountLog(ctx)
}

// extendGrant replaces the grant by a larger or later one: what the call needs, or a
// share of what is left.
func (a *Account) extendGrant(ctx context.Context, p position, worst, room Amount) error {
	share := p.caps.shareOf(room, worst, p.used)
	now := a.config.Now()
	e := entry{
		Kind: grant, Owner: a.owner, Used: p.used, Open: p.held.Add(largerOf(worst, share)),
		ExpiresAt: now.Add(a.config.TTL).UnixMicro(),
	}
	if err := a.log.appendEntry(ctx, e); err != nil {
		return err
	}
	a.readPosition()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.config.Idle > 0 && !a.config.Exclusive && !a.watched {
		a.watchIdle(a.reserved)
	}
	if a.tuned == p.tuned && a.log.owners[a.owner] == e {
		a.until = now.Add(a.config.TTL - a.config.TTL/10) // clocks differ, and a hold is announced a little later
	}
	return nil
}

// settledEntry returns the entry that keeps nothing free, and whether the log has it.
func (a *Account) settledEntry() (entry, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	mine := a.log.owners[a.owner]
	e := entry{Kind: settle, Owner: a.owner, Used: a.used, Open: a.held, ExpiresAt: mine.ExpiresAt}
	return e, e.Used == mine.Used && e.Open == mine.Open
}

// giveBack lets others have what is not used. Where the store's answer is lost, they may
// have it all the same: from here on nothing is reserved from this grant.
func (a *Account) giveBack(ctx context.Context) error {
	a.mu.Lock()
	a.until = time.Time{}
	a.mu.Unlock()
	e, _ := a.settledEntry()
	err := a.log.appendEntry(ctx, e)
	a.readPosition()
	return err
}

// settleAll gives back all that is not used, whatever others append meanwhile.
func (a *Account) settleAll(ctx context.Context) error {
	for {
		a.readPosition()
		if _, settled := a.settledEntry(); settled {
			return nil
		}
		if err := a.giveBack(ctx); err != nil {
			return err
		}
	}
}

// recountLog begins the log again with what the ledger says. No own call is under way.
func (a *Account) recountLog(ctx context.Context) error {
	counted, err := a.config.Count(ctx)
	if err != nil {
		return fmt.Errorf("counting the ledger: %w", err)
	}
	if !counted.isSane() {
		return fmt.Errorf("counting the ledger: %s cannot have been spent", counted)
	}
	err = a.log.appendEntry(ctx, entry{Kind: recount, Used: counted, CountedAt: a.config.Now().UnixMicro()})
	a.readPosition()
	return err
}
