package failure

import "context"

// Attempt is one attempt at an activity of one run of a workflow.
type Attempt struct {
	RunID, ActivityID string
	Number            int32 // from 1
}

// Host is what the worker that makes an attempt tells of it.
type Host struct {
	Attempt
	TaskQueue string
	Stops     <-chan struct{}                 // closed when the worker stops
	LogPanic  func(text string, stack string) // into the worker's log
}

type hostKey struct{}

// WithHost returns a context of the attempt that h makes.
func WithHost(ctx context.Context, h Host) context.Context {
	return context.WithValue(ctx, hostKey{}, h)
}

// HostOf returns the host of ctx's attempt; ok is false outside activities.
func HostOf(ctx context.Context) (h Host, ok bool) {
	h, ok = ctx.Value(hostKey{}).(Host)
	return h, ok
}
