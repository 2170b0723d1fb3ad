package engine

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A clock that is set back ends the work; one that goes on, is set a little, or jumps
// while a laptop sleeps, does not.
func TestWatchClock(t *testing.T) {
	for what, c := range map[string]struct {
		step time.Duration
		ends bool
	}{
		"goes on": {0, false}, "an hour's sleep": {time.Hour, false}, "a second back": {-time.Second, false},
		"ten seconds back": {-10 * time.Second, true}, "a day back": {-24 * time.Hour, true},
	} {
		ctx, end := context.WithCancelCause(t.Context())
		looks, day := 0, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		watchClock(ctx, end, func() (time.Time, time.Duration) {
			looks++
			day = day.Add(time.Second)
			switch looks {
			case 3:
				day = day.Add(c.step)
			case 6:
				end(nil)
			}
			return day, time.Duration(looks) * time.Second
		}, time.Millisecond)
		if ends := errors.Is(context.Cause(ctx), errSetBack); ends != c.ends {
			t.Errorf("%s: %v after %d looks", what, context.Cause(ctx), looks)
		}
	}
}
