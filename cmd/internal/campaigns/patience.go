package campaigns

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.temporal.io/api/serviceerror"
)

// RetryWhileLate repeats a request to the engine for as long as it is not answered
// in time, and says so. An engine on a machine far behind answers late; waiting
// costs nothing, and no request here does more when it is made twice.
func RetryWhileLate(ctx context.Context, w io.Writer, what string, request func() error) error {
	for began := time.Now(); ; {
		err := request()
		if !IsLate(err) || ctx.Err() != nil {
			return err
		}
		fmt.Fprintf(w, "the engine has not answered for %s (%s); the machine may be far behind. Waiting on; Ctrl-C ends this\n",
			time.Since(began).Round(time.Second), what)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// IsLate reports whether an error says only that an answer did not come in time.
func IsLate(err error) bool {
	_, late := errors.AsType[*serviceerror.DeadlineExceeded](err)
	return late || errors.Is(err, context.DeadlineExceeded)
}

// NameLate adds to the error of a late answer what was waited for.
func NameLate(what string, err error) error {
	if !IsLate(err) {
		return err
	}
	return fmt.Errorf("the engine did not answer in time (%s); the machine may be far behind. Nothing is lost: give the same command again: %w", what, err)
}
