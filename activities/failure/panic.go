package failure

import (
	"context"
	"fmt"
	"runtime/debug"

	"go.temporal.io/sdk/activity"

	"roundtable/envs/program"
)

// Panic is a panic in what is plugged in: an environment, a scripted policy,
// a protocol, a rule. Tried again it would panic again, without end, so it ends
// what it happened in.
type Panic struct {
	value any
	stack []byte // for the log of the worker
}

func (p *Panic) Error() string {
	return fmt.Sprintf("a bug in the program: panic: %v", p.value)
}

// Log writes the stack to the log of the activity's worker.
func (p *Panic) Log(ctx context.Context) {
	if activity.IsActivity(ctx) {
		activity.GetLogger(ctx).Error(p.Error(), "Stack", string(p.stack))
	}
}

// Recover turns a panic into an error of type *Panic, and what a program of the
// user's failed at into that error; it is to be deferred itself.
func Recover(err *error) {
	switch value := recover().(type) {
	case nil:
	case program.Failed: // no bug of ours
		*err = value
	default:
		*err = &Panic{value, debug.Stack()}
	}
}
