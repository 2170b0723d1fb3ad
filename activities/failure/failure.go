// Package failure decides what an activity's error leads to: the collaboration
// ends as failed, the campaign pauses until the operator has acted, or Temporal
// tries again after a pause. Every error that leaves an activity has passed
// ForHistory, so it fits into a history. Of Temporal it needs nothing: Host is what
// the worker tells of the attempt that fails.
package failure

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/analysis/lake/store"
	"roundtable/envs/program"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
)

// maxErrorText keeps error texts from filling histories.
const maxErrorText = 2048

// Failure is an error with what it leads to. The worker gives it to Temporal as an error of an
// application; here nothing of Temporal is needed, so that tests of other packages link none of it.
type Failure struct {
	Type    string
	Message string
	Final   bool          // it is not tried again
	Delay   time.Duration // until it is; 0 leaves that to Temporal
	Benign  bool          // it is expected, and no error in logs and metrics
}

func (f *Failure) Error() string { return f.Message }

// ErrCancelled ends an attempt that was cancelled.
var ErrCancelled = errors.New("cancelled")

// Fail returns err as an error that ends the collaboration as failed: trying again cannot help.
func Fail(err error) error {
	return &Failure{Type: task.ErrFail, Message: Text(err), Final: true}
}

// Pause returns err as an error that pauses the campaign until the operator has acted.
func Pause(err error) error {
	return &Failure{Type: task.ErrPause, Message: Text(err), Final: true}
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

// IsUnasked reports whether err says that a program could not be asked. That is no judgement of the
// collaboration, which is tried again later.
func IsUnasked(err error) bool {
	return errors.As(err, new(program.Failed)) && !errors.As(err, new(Unusable)) && !errors.Is(err, store.ErrCorrupt)
}

// ForHistory turns the error of an attempt, from 1, into one that a history can hold
// and that decides what happens next: fail, pause, or try again after Retry-After
// or a jittered pause.
func ForHistory(ctx context.Context, err error, attempt int32) error {
	var known *Failure
	var call *model.Error
	var crash *Panic
	var broken Unplayable
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ErrCancelled):
		return ErrCancelled
	case errors.As(err, &known):
		return atTop(err, known)
	case isCancelled(ctx):
		return ErrCancelled
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
	return OfMachine(err, drawBackoff(attempt, JitterOf(ctx)))
}

const ofMachine = "io"

// OfMachine returns err as one of the lake, the disk, the network or the system: tried again after delay.
func OfMachine(err error, delay time.Duration) error {
	return &Failure{Type: ofMachine, Message: Text(err), Delay: delay}
}

// IsOfMachine reports whether err comes from OfMachine.
func IsOfMachine(err error) bool {
	f, ok := errors.AsType[*Failure](err)
	return ok && f.Type == ofMachine
}

// atTop returns f, which others may have wrapped in err, with err's message.
func atTop(err error, f *Failure) error {
	if top, is := err.(*Failure); is { //nolint:errorlint // nobody has wrapped it
		return top
	}
	top := *f
	top.Message = Text(err)
	return &top
}

// leastPause is what is left at least of a pause before the next attempt.
const leastPause = 50 * time.Millisecond

// Waited returns err, which comes from ForHistory, with its pause before the next attempt shortened
// by since.
func Waited(err error, since time.Duration) error {
	f, ok := errors.AsType[*Failure](err)
	if !ok || f.Final || f.Delay <= leastPause {
		return err
	}
	sooner := *f
	sooner.Delay = max(f.Delay-since, leastPause)
	return &sooner
}

// AskAgain returns the error that ends an attempt whose answer was not usable. The next attempt is
// due at once and queues like any other call.
func AskAgain() error {
	return &Failure{Type: "reask", Message: "the answer could not be used; the model is asked again when its limit allows",
		Delay: time.Millisecond, Benign: true}
}

// NewHeld returns the error that ends an attempt whose campaign, paused or cancelled for this reason,
// holds its calls back. The next attempt is due when calls may begin again.
func NewHeld(reason string) error {
	return &Failure{Type: held, Message: "no call begins: " + reason, Delay: time.Second, Benign: true}
}

const held = "held"

// IsHeld reports whether err comes from NewHeld.
func IsHeld(err error) bool {
	f, ok := errors.AsType[*Failure](err)
	return ok && f.Type == held
}

func forCall(e *model.Error, attempt int32, drawn Jitter) error {
	f := &Failure{Type: "retry", Message: Text(e), Benign: true}
	switch e.Class {
	case model.Pause:
		f.Type, f.Final = task.ErrPause, true
	case model.Fail:
		f.Type, f.Final = task.ErrFail, true
	default:
		f.Delay = drawBackoff(attempt, drawn)
		if e.RetryAfter > 0 { // jitter, or all waiting calls come back in the same moment
			f.Delay = e.RetryAfter + drawn(time.Second+e.RetryAfter/10)
		}
	}
	return f
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

// Text returns err's message without control characters, at most 2 KB long.
func Text(err error) string {
	return strings.TrimSpace(prompt.Clean([]byte(err.Error()), maxErrorText))
}

// Final returns err if trying again cannot help (Fail, or a corrupt object), else nil.
func Final(err error) error {
	f, ok := errors.AsType[*Failure](err)
	if ok && f.Type == task.ErrFail || errors.Is(err, store.ErrCorrupt) {
		return err
	}
	return nil
}
