// Package failure says what becomes of an activity's error: the collaboration
// ends as failed, the campaign pauses until the operator has acted, or Temporal
// tries again after a pause. Every error that leaves an activity has passed
// ForHistory, so it fits into a history.
package failure

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"

	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake/store"
	"roundtable/envs/program"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
)

// maxErrorText keeps error texts from filling histories.
const maxErrorText = 2048

// Fail returns an error that ends the collaboration: trying again cannot help.
func Fail(err error) error {
	return temporal.NewNonRetryableApplicationError(Text(err), task.ErrFail, nil)
}

// Pause returns an error that holds the campaign until the operator has acted.
func Pause(err error) error {
	return temporal.NewNonRetryableApplicationError(Text(err), task.ErrPause, nil)
}

// Unplayable says why a collaboration cannot be played to where its stored turns
// end: its beginning or a stored turn is wrong. It ends as failed.
type Unplayable struct{ Err error }

func (u Unplayable) Error() string { return u.Err.Error() }
func (u Unplayable) Unwrap() error { return u.Err }

// Unusable says why a program of the user's, or a judge, gave no answer that can be used: tried
// again it gave none either. What needs the answer ends as failed.
type Unusable struct{ Err error }

func (u Unusable) Error() string { return u.Err.Error() }
func (u Unusable) Unwrap() error { return u.Err }

// NeedsOperator says what the operator has to do before something can be done. It
// pauses the campaign.
type NeedsOperator struct{ Err error }

func (n NeedsOperator) Error() string { return n.Err.Error() }
func (n NeedsOperator) Unwrap() error { return n.Err }

// IsUnasked reports whether an error says that a program could not be asked: that is
// no judgement of the collaboration, which is taken up again later.
func IsUnasked(err error) bool {
	return errors.As(err, new(program.Failed)) && !errors.As(err, new(Unusable)) && !errors.Is(err, store.ErrCorrupt)
}

// ForHistory turns the error of an attempt, from 1, into one that a history can hold
// and that decides what happens next: fail, pause, or try again after Retry-After
// or a jittered pause.
func ForHistory(ctx context.Context, err error, attempt int32) error {
	var app *temporal.ApplicationError
	var call *model.Error
	var crash *Panic
	var broken Unplayable
	switch {
	case err == nil || temporal.IsCanceledError(err):
		return err
	case errors.As(err, &app):
		return atTop(err, app)
	case isCancelled(ctx):
		return temporal.NewCanceledError()
	case errors.As(err, &crash):
		crash.Log(ctx)
		return Fail(err)
	case errors.As(err, &broken), errors.As(err, new(Unusable)), errors.Is(err, store.ErrCorrupt),
		errors.Is(err, protocol.ErrPanic):
		return Fail(err)
	case errors.Is(err, fs.ErrPermission), errors.As(err, new(NeedsOperator)):
		return Pause(err)
	case errors.As(err, &call):
		return forCall(call, attempt, JitterOf(ctx))
	}
	return temporal.NewApplicationErrorWithOptions(Text(err), ofMachine, temporal.ApplicationErrorOptions{
		NextRetryDelay: drawBackoff(attempt, JitterOf(ctx)),
	})
}

// ofMachine are errors of the lake, the disk, the network or the system: tried again.
const ofMachine = "io"

// IsOfMachine reports whether an error of ForHistory is one of the lake, the disk, the
// network or the system, which is tried again.
func IsOfMachine(err error) bool {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	return ok && app.Type() == ofMachine
}

// atTop returns an error of this package that others may have wrapped: the engine looks at
// the outermost error alone, and would try again for ever.
func atTop(err error, app *temporal.ApplicationError) error {
	if _, is := err.(*temporal.ApplicationError); is { //nolint:errorlint // as the engine does
		return err
	}
	return temporal.NewApplicationErrorWithOptions(Text(err), app.Type(), temporal.ApplicationErrorOptions{
		NonRetryable: app.NonRetryable(), NextRetryDelay: app.NextRetryDelay(), Category: app.Category(),
	})
}

// leastPause is what is left at least of a pause before the next attempt.
const leastPause = 50 * time.Millisecond

// Waited takes what has been waited since an error of ForHistory off the pause before the
// next attempt.
func Waited(err error, since time.Duration) error {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || app.NonRetryable() || app.NextRetryDelay() <= leastPause {
		return err
	}
	return temporal.NewApplicationErrorWithOptions(app.Message(), app.Type(), temporal.ApplicationErrorOptions{
		NextRetryDelay: max(app.NextRetryDelay()-since, leastPause), Category: app.Category(),
	})
}

// AskAgain ends an attempt whose answer could not be used: the next one, which is due at
// once, waits for its turn as any other request.
func AskAgain() error {
	return temporal.NewApplicationErrorWithOptions("the answer could not be used; the model is asked again when its limit allows", "reask", temporal.ApplicationErrorOptions{
		NextRetryDelay: time.Millisecond, Category: temporal.ApplicationErrorCategoryBenign,
	})
}

// Held ends an attempt whose campaign is paused or cancelled, for a reason: its calls
// are held back. The next attempt is due when they may begin again.
func Held(reason string) error {
	return temporal.NewApplicationErrorWithOptions("no call begins: "+reason, held, temporal.ApplicationErrorOptions{
		NextRetryDelay: time.Second, Category: temporal.ApplicationErrorCategoryBenign,
	})
}

const held = "held"

// IsHeld reports whether an error is that of calls that are held back.
func IsHeld(err error) bool {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	return ok && app.Type() == held
}

func forCall(e *model.Error, attempt int32, drawn Jitter) error {
	options := temporal.ApplicationErrorOptions{Category: temporal.ApplicationErrorCategoryBenign}
	kind := "retry"
	switch e.Class {
	case model.Pause:
		kind, options.NonRetryable = task.ErrPause, true
	case model.Fail:
		kind, options.NonRetryable = task.ErrFail, true
	default:
		wait := drawBackoff(attempt, drawn)
		if e.RetryAfter > 0 { // jitter, or all waiting calls come back in the same moment
			wait = e.RetryAfter + drawn(time.Second+e.RetryAfter/10)
		}
		options.NextRetryDelay = wait
	}
	return temporal.NewApplicationErrorWithOptions(Text(e), kind, options)
}

// isCancelled reports whether the activity was cancelled, not timed out.
func isCancelled(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), context.Canceled)
}

// drawBackoff returns the pause before the next try of an activity. It doubles from
// half a second to 30 seconds, with full jitter so that many calls do not come
// back at once.
func drawBackoff(attempt int32, drawn Jitter) time.Duration {
	ceiling := 500 * time.Millisecond << min(max(attempt-1, 0), 6)
	return 50*time.Millisecond + drawn(min(ceiling, 30*time.Second))
}

// Text returns an error's message without control characters and without the engine's
// words on trying again, in at most maxErrorText bytes.
func Text(err error) string {
	text := err.Error()
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		text = strings.Replace(text, app.Error(), app.Message(), 1)
	}
	return strings.TrimSpace(prompt.Clean([]byte(text), maxErrorText))
}

// Final returns an error that trying again cannot help against, nil for others.
func Final(err error) error {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if ok && app.Type() == task.ErrFail || errors.Is(err, store.ErrCorrupt) {
		return err
	}
	return nil
}
