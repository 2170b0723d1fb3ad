package calls

import (
	"context"
	"sync/atomic"
)

// Stage is what an activity waits for now; its heartbeats carry it to everyone who
// asks the server, from whatever machine.
type Stage struct{ say atomic.Pointer[func() string] }

type stageKey struct{}

// WithStage returns a context whose activity says what it waits for, and where it
// says so.
func WithStage(ctx context.Context) (context.Context, *Stage) {
	s := &Stage{}
	return context.WithValue(ctx, stageKey{}, s), s
}

// setWaiting sets what the activity waits for; nil is nothing.
func setWaiting(ctx context.Context, what func() string) {
	if s, ok := ctx.Value(stageKey{}).(*Stage); ok {
		s.say.Store(&what)
	}
}

func (s *Stage) String() string {
	if what := s.say.Load(); what != nil && *what != nil {
		return (*what)()
	}
	return ""
}
