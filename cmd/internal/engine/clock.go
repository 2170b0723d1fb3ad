package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"roundtable/infra"
)

// errSetBack ends work whose engine waits for times that are far again.
var errSetBack = errors.New("the clock was set back")

// UnderClock does work that starts an engine, and does it again when the clock was set
// back meanwhile: an embedded server's timers go by it. Calls under way come in first, and
// the lake knows everything. Notices hear of it.
func UnderClock(ctx context.Context, notices io.Writer, work func(context.Context) error) error {
	for {
		inner, end := context.WithCancelCause(ctx)
		go watchClock(inner, end, newClock(), time.Second)
		err := work(inner)
		setBack := errors.Is(context.Cause(inner), errSetBack)
		end(nil)
		if !setBack || ctx.Err() != nil {
			return err
		}
		fmt.Fprintln(notices, "\nThe clock was set back: the engine starts again.")
	}
}

// newClock returns a function for the time of day and for what has passed by a clock that
// nobody sets.
func newClock() func() (time.Time, time.Duration) {
	began := time.Now()
	return func() (time.Time, time.Duration) {
		now := time.Now()
		return now.Round(0), now.Sub(began)
	}
}

// watchClock ends ctx when the time of day goes back by more than the engine's timers may.
func watchClock(ctx context.Context, end context.CancelCauseFunc, now func() (time.Time, time.Duration),
	every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for day, passed := now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		newDay, newPassed := now()
		if back := (newPassed - passed) - newDay.Sub(day); back > infra.ClockTolerance {
			end(errSetBack)
			return
		}
		day, passed = newDay, newPassed
	}
}
