package calls

import (
	"context"
	"errors"
	"time"

	"roundtable/activities/answers"
	"roundtable/analysis/lake/store"
)

// keepFor is how long a paid answer is held while the store fails, but not while its
// disk is full and the worker goes on: shorter than a worker that stops waits for its
// activities.
const keepFor = 90 * time.Second

// StoreTurn stores a turn, whose last answer can be cached under a key.
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
