package activities

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"roundtable/activities/model"
	"roundtable/activities/prompt"
	"roundtable/analysis/storage"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
)

// maxErrorText keeps error texts from filling histories.
const maxErrorText = 2048

// fail ends the collaboration: trying again cannot help.
func fail(err error) error {
	return temporal.NewNonRetryableApplicationError(clean(err), task.ErrFail, nil)
}

// pause holds the campaign until a person has acted.
func pause(err error) error {
	return temporal.NewNonRetryableApplicationError(clean(err), task.ErrPause, nil)
}

// minFree is the room below which no answer is bought: it could not be kept.
const minFree = 64 << 20

// room says whether an answer could be stored, where the store can tell.
func (a *Activities) room() error {
	s, ok := a.config.Store.(interface{ Free() (int64, error) })
	if !ok {
		return nil
	}
	free, err := s.Free()
	if err == nil && free < minFree {
		err = pause(fmt.Errorf("the disk of the lake has %d MB left; %d MB are wanted before another answer is bought", free>>20, minFree>>20))
	}
	return err
}

// bounded turns any error into one that history can hold and that says what is
// to be done: fail, pause, or try again when the service says or after a
// jittered pause.
func bounded(ctx context.Context, err error) error {
	var app *temporal.ApplicationError
	var call *model.Error
	var fault *panicked
	var broken unplayable
	switch {
	case err == nil || errors.As(err, &app) || temporal.IsCanceledError(err):
		return err
	case ctx.Err() != nil && activityCancelled(ctx):
		return temporal.NewCanceledError()
	case errors.As(err, &fault):
		fault.log(ctx)
		return fail(err)
	case errors.As(err, &broken), errors.Is(err, storage.ErrCorrupt), errors.Is(err, protocol.ErrPanic):
		return fail(err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, fs.ErrPermission):
		return pause(err)
	case errors.As(err, &call):
		return ofCall(ctx, call)
	}
	return temporal.NewApplicationErrorWithOptions(clean(err), "io", temporal.ApplicationErrorOptions{
		NextRetryDelay: backoff(activity.GetInfo(ctx).Attempt),
	})
}

// maxPaidTries bounds how often a call is made again that may have been billed
// without bringing anything: a person looks then.
const maxPaidTries = 8

// bringsNothing says that a service took a call and sent no answer for it: a
// status 2xx without one, or silence until the deadline.
func bringsNothing(e *model.Error) bool { return e.Status/100 == 2 || e.Code == "timeout" }

func ofCall(ctx context.Context, e *model.Error) error {
	options := temporal.ApplicationErrorOptions{Category: temporal.ApplicationErrorCategoryBenign}
	kind := "retry"
	class := e.Class
	if bringsNothing(e) && activity.GetInfo(ctx).Attempt >= maxPaidTries {
		class = model.Pause
	}
	switch class {
	case model.Pause:
		kind, options.NonRetryable = task.ErrPause, true
	case model.Fail:
		kind, options.NonRetryable = task.ErrFail, true
	default:
		wait := backoff(activity.GetInfo(ctx).Attempt)
		if e.RetryAfter > 0 { // jitter, or all waiting calls come back in the same moment
			wait = e.RetryAfter + rand.N(time.Second+e.RetryAfter/10)
		}
		options.NextRetryDelay = wait
	}
	return temporal.NewApplicationErrorWithOptions(clean(e), kind, options)
}

func activityCancelled(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), context.Canceled)
}

// backoff doubles from half a second to 30 seconds, with full jitter so that
// many calls do not come back at once.
func backoff(attempt int32) time.Duration {
	ceiling := 500 * time.Millisecond << min(max(attempt-1, 0), 6)
	return 50*time.Millisecond + rand.N(min(ceiling, 30*time.Second))
}

func clean(err error) string {
	return strings.TrimSpace(prompt.Clean([]byte(err.Error()), maxErrorText))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
