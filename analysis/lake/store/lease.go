package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

const (
	// leaseRenewal is how often a lease is renewed.
	leaseRenewal = 5 * time.Second
	// leaseStale is after how long without a renewal a lease has no living holder. Whoever
	// waits measures it by their own clock, from the first look: clocks differ.
	leaseStale = 30 * time.Second
	leasePoll  = time.Second
)

var (
	// ErrLeased marks a lease that another process renews.
	ErrLeased = errors.New("in use")
	// ErrLeaseLost is the cause of a lease's context if another process took the lease over.
	ErrLeaseLost = errors.New("another process has taken this work over, since this one was not heard of for too long")
)

// Holder is who holds a lease.
type Holder struct {
	Name string `json:"name"`
	// Place is where only one process at a time can be, ensured without the lease: one that
	// comes to the same place knows that the holder is gone. "" is no such place.
	Place string `json:"place,omitempty"`
}

// leaseObject is what the object holds; one without an ID is free.
type leaseObject struct {
	Holder
	ID      string `json:"id"`
	Renewed int64  `json:"renewed"` // how often: each renewal is other bytes
}

// Lease is a lock in a store without file locks: an object that one process at a time holds.
type Lease struct {
	store Store
	key   string
	own   leaseObject
	end   context.CancelCauseFunc
	ended chan struct{}
}

// TakeLease takes a lease that is free, or that nobody has renewed for 30 s; before it waits for
// that, it calls waiting with the holder. Once the holder renews it, the error is an ErrLeased. The
// context that is returned ends when the lease is released, or lost (its cause is then ErrLeaseLost).
func TakeLease(ctx context.Context, s Store, key string, by Holder, waiting func(Holder)) (context.Context,
	*Lease, error) {
	l := &Lease{store: s, key: key, own: leaseObject{Holder: by, ID: rand.Text()}, ended: make(chan struct{})}
	var first string // the ETag of the first look
	var since time.Time
	for {
		there, etag, err := l.read(ctx)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = l.write(ctx, "")
		case err != nil:
		case there.ID == "", by.Place != "" && there.Place == by.Place, etag == first &&
			time.Since(since) >= leaseStale:
			err = l.write(ctx, etag)
		case first != "" && etag != first:
			return ctx, nil, fmt.Errorf("%w by %s", ErrLeased, there.Name)
		default:
			if first == "" {
				first, since = etag, time.Now()
				waiting(there.Holder)
			}
			select {
			case <-ctx.Done():
				return ctx, nil, ctx.Err()
			case <-time.After(leasePoll):
			}
			continue
		}
		switch {
		case errors.Is(err, ErrExists), errors.Is(err, ErrChanged):
			continue
		case err != nil:
			return ctx, nil, err
		}
		held, end := context.WithCancelCause(ctx)
		l.end = end
		go l.renewUntilReleased(held)
		return held, l, nil
	}
}

// read returns the object and its ETag; one that is not a lease is free.
func (l *Lease) read(ctx context.Context) (o leaseObject, etag string, err error) {
	about, err := l.store.Head(ctx, l.key) // before it is read: what is written after it changes the ETag
	if err != nil {
		return o, "", err
	}
	data, err := l.store.Get(ctx, l.key)
	if err == nil && json.Unmarshal(data, &o) != nil {
		o = leaseObject{}
	}
	return o, about.ETag, err
}

// write stores the object over the one with this ETag; "" if there is none.
func (l *Lease) write(ctx context.Context, etag string) error {
	data, err := json.Marshal(l.own)
	if err != nil {
		return err
	}
	if etag == "" {
		return l.store.PutIfAbsent(ctx, l.key, data)
	}
	return l.store.Replace(ctx, l.key, data, etag)
}

// renewUntilReleased shows that the holder lives, until the lease is released or another's. A store that
// cannot be reached is asked again: while it is away, nothing can be stored by anybody.
func (l *Lease) renewUntilReleased(ctx context.Context) {
	defer close(l.ended)
	tick := time.NewTicker(leaseRenewal)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		l.own.Renewed++
		if err := l.rewriteOnce(ctx); errors.Is(err, ErrLeaseLost) {
			l.end(err)
			return
		}
	}
}

func (l *Lease) rewriteOnce(ctx context.Context) error {
	there, etag, err := l.read(ctx)
	if errors.Is(err, fs.ErrNotExist) || err == nil && there.ID != l.own.ID {
		return ErrLeaseLost
	}
	if err == nil {
		err = l.write(ctx, etag)
	}
	if errors.Is(err, ErrChanged) {
		return ErrLeaseLost
	}
	return err
}

// Close releases the lease if it is still held.
func (l *Lease) Close() error {
	l.end(nil)
	<-l.ended
	id := l.own.ID
	ctx, end := context.WithTimeout(context.Background(), leaseRenewal)
	defer end()
	there, etag, err := l.read(ctx)
	if err != nil || there.ID != id {
		return IgnoreMissing(err)
	}
	l.own = leaseObject{}
	if err = l.write(ctx, etag); errors.Is(err, ErrChanged) {
		return nil
	}
	return err
}
