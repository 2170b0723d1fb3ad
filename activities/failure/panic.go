package failure

import (
	"context"
	"fmt"
	"runtime/debug"

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
	if host, ok := HostOf(ctx); ok {
		host.LogPanic(p.Error(), string(p.stack))
	}
}

// Recover, deferred directly, turns a panic into an error of type *Panic in err; the failure of a
// user's program becomes that failure's own error.
func Recover(err *error) {
	switch value := recover().(type) {
	case nil:
	case program.Failed: // no bug of ours
		*err = value
	default:
		*err = &Panic{value, debug.Stack()}
	}
}
