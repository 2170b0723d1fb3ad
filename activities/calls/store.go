package calls

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/throttle"
	"roundtable/analysis/lake/store"
)

// keepFor is how long a paid answer is held while the store fails, but not while its
// disk is full and the worker goes on: shorter than a worker that stops waits for its
// activities.
const keepFor = 90 * time.Second

// StoreTurn stores turn t, so that its last answer can be cached under cacheKey, and returns the
// turn as stored. While the lake cannot be written, it retries for some time.
func (c *Caller) StoreTurn(ctx context.Context, run answers.RunKey, t answers.Turn,
	cacheKey string) (stored answers.Turn, err error) {
	err = c.storeWithRetry(ctx, func() error {
		stored, err = c.answers.PutAnswering(ctx, run, t, cacheKey)
		return err
	})
	return stored, err
}

// storeWithRetry stores what is paid for and in hand: a store that fails for a while is
// tried again here. A disk that is full gives what was set aside.
func (c *Caller) storeWithRetry(ctx context.Context, s func() error) error {
	began := time.Now()
	for pause := 100 * time.Millisecond; ; pause = min(4*pause, 10*time.Second) {
		err := s()
		if err == nil {
			c.Meter.clearFailure()
		}
		if err == nil || errors.Is(err, store.ErrCorrupt) || time.Since(began) > keepFor {
			return err
		}
		c.Meter.noteFailure(err)
		if isFull(err) {
			c.room.release()
			began, pause = holdOn(ctx, began), min(pause, time.Second)
		}
		time.Sleep(pause)
	}
}

// holdOn returns from when on the time counts: now, unless the worker stops.
func holdOn(ctx context.Context, began time.Time) time.Time {
	select {
	case <-WorkerStops(ctx):
		return began
	default:
		return time.Now()
	}
}

const (
	// minFree is the room below which no answer is bought: it could not be kept.
	minFree = 64 << 20
	// reserved is set aside while calls are made, for answers that are paid and in
	// hand when a disk fills up.
	reserved = 32 << 20
)

// disk is a store whose disk can fill up.
type disk interface {
	Free() (int64, error)
	Reserve(bytes int64) error
	Unreserve() error
}

// room keeps an eye on the disk of the store.
type room struct {
	disk disk // nil for a store that has none

	mu       sync.Mutex
	reserved bool
}

func newRoom(s store.Store) *room {
	d, _ := store.As[disk](s)
	return &room{disk: d}
}

// awaitRoom waits until an answer can be stored, or the turn is cancelled or the worker stops.
func (c *Caller) awaitRoom(ctx context.Context) error {
	if c.room.disk == nil {
		return nil
	}
	defer setIdle(ctx)
	for waited, began := false, time.Now(); ; waited = true {
		free, err := c.room.disk.Free()
		if err == nil && free >= minFree {
			err = c.room.reserve(free)
			if waited {
				c.Meter.clearFailure()
			}
		}
		if err != nil || free >= minFree {
			return err
		}
		text := fmt.Sprintf("the disk of the lake has room for %d MB; %d MB are needed before another answer is bought",
			free>>20, minFree>>20)
		c.Meter.note(Trouble{Text: text})
		setWaiting(ctx, Wait{For: text, Since: began, Ends: "space on the disk ends it"})
		select {
		case <-time.After(time.Second):
		case <-WorkerStops(ctx):
			return throttle.ErrStopping
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// reserve sets room aside where there is plenty.
func (r *room) reserve(free int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reserved || free < 2*(minFree+reserved) {
		return nil
	}
	r.reserved = true
	if err := r.disk.Reserve(reserved); err != nil && !isFull(err) {
		return err
	}
	return nil
}

// release gives what was set aside to answers in hand.
func (r *room) release() {
	if r.disk == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reserved = false
	_ = r.disk.Unreserve() // what fails here fails again where the answer is stored, and is told there
}

func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
