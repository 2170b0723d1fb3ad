package activities_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/workflows/task"
)

// TestWrapped: what cannot be helped stays so for the engine, which looks at the outermost
// error alone, however it was wrapped.
func TestWrapped(t *testing.T) {
	t.Parallel()
	wrap := func(err error) error { return fmt.Errorf("taking the turn: %w", err) }
	for _, c := range []struct {
		err        error
		kind, text string
	}{
		{failure.Fail(errors.New("it ends early")), task.ErrFail, "it ends early"},
		{failure.Unplayable{Err: failure.Fail(errors.New("it ends early"))}, task.ErrFail, "it ends early"},
		{failure.Unplayable{Err: errors.New("it ends early")}, task.ErrFail, "it ends early"},
		{wrap(failure.Fail(errors.New("it ends early"))), task.ErrFail, "taking the turn: it ends early"},
		{wrap(failure.Pause(errors.New("no key"))), task.ErrPause, "taking the turn: no key"},
	} {
		app, outermost := failure.ForHistory(t.Context(), c.err, 1).(*failure.Failure) //nolint:errorlint // as the worker does
		if !outermost || app.Type != c.kind || !app.Final || app.Message != c.text {
			t.Errorf("%v becomes %v", c.err, app)
		}
	}
	again := failure.ForHistory(t.Context(), wrap(failure.AskAgain()), 1)
	if app, outermost := again.(*failure.Failure); !outermost || app.Delay != time.Millisecond { //nolint:errorlint // as the worker does
		t.Errorf("its pause is lost: %v", again)
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	for attempt, ceiling := range map[int32]time.Duration{
		0: 500 * time.Millisecond, 1: 500 * time.Millisecond, 2: time.Second, 4: 4 * time.Second,
		6: 16 * time.Second, 7: 30 * time.Second, 100: 30 * time.Second, 1 << 30: 30 * time.Second,
	} {
		least, most := time.Hour, time.Duration(0)
		for range 500 {
			app, _ := errors.AsType[*failure.Failure](failure.ForHistory(t.Context(), errors.New("lost"), attempt))
			d := app.Delay
			least, most = min(least, d), max(most, d)
		}
		if least < 50*time.Millisecond || most > 50*time.Millisecond+ceiling {
			t.Errorf("attempt %d: pauses from %v to %v; the ceiling is %v", attempt, least, most, ceiling)
		}
		if most < ceiling/2 || least > ceiling/2 { // each of them once in 2^500
			t.Errorf("attempt %d: pauses from %v to %v have no jitter", attempt, least, most)
		}
	}
}

// A service is not asked before it said, and its callers do not all come back at once.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	ctx := failure.WithJitter(t.Context(), func(limit time.Duration) time.Duration { return limit - 1 })
	for after, want := range map[time.Duration]time.Duration{0: 550 * time.Millisecond, time.Second: 2100 * time.Millisecond, time.Minute: 67 * time.Second} {
		app, _ := errors.AsType[*failure.Failure](failure.ForHistory(ctx, &model.Error{Class: model.Retry, RetryAfter: after}, 1))
		if got := app.Delay + 1; got != want {
			t.Errorf("after %v: in %v, want %v", after, got, want)
		}
	}
}

// The time for which siblings were awaited counts towards Retry-After.
func TestWaited(t *testing.T) {
	t.Parallel()
	later := failure.ForHistory(t.Context(), &model.Error{Class: model.Retry, RetryAfter: time.Minute}, 1)
	whole, _ := errors.AsType[*failure.Failure](later)
	for since, want := range map[time.Duration]time.Duration{0: whole.Delay, time.Second: whole.Delay - time.Second, time.Hour: 50 * time.Millisecond} {
		app, _ := errors.AsType[*failure.Failure](failure.Waited(later, since))
		if app.Delay != want || app.Type != whole.Type || app.Message != whole.Message || app.Benign != whole.Benign {
			t.Errorf("after %v: %v, in %v", since, app, app.Delay)
		}
	}
	for _, err := range []error{nil, failure.Fail(errors.New("no")), failure.AskAgain()} {
		if got := failure.Waited(err, time.Hour); got != err { //nolint:errorlint // the same value
			t.Errorf("%v becomes %v", err, got)
		}
	}
}
