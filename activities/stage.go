package activities

import (
	"context"
	"sync/atomic"
)

// stage is what an activity waits for now; its heartbeats carry it to whoever
// asks the server, from whatever machine.
type stage struct{ say atomic.Pointer[func() string] }

type stageKey struct{}

// WithStage returns a context whose activity says what it waits for, and where it
// says so.
func WithStage(ctx context.Context) (context.Context, *stage) {
	s := &stage{}
	return context.WithValue(ctx, stageKey{}, s), s
}

// setWaiting sets what the activity waits for; nil is nothing.
func setWaiting(ctx context.Context, what func() string) {
	if s, ok := ctx.Value(stageKey{}).(*stage); ok {
		s.say.Store(&what)
	}
}

func (s *stage) String() string {
	if what := s.say.Load(); what != nil && *what != nil {
		return (*what)()
	}
	return ""
}
