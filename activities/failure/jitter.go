package failure

import (
	"context"
	"math/rand/v2"
	"time"
)

// Jitter draws the random part of a pause, from 0 up to a limit, so that callers that failed
// together do not come back together.
// A context may bring its own: with it a simulation is played again exactly.
type Jitter func(limit time.Duration) time.Duration

type jitterKey struct{}

// WithJitter returns a context under which s draws the random part of pauses.
func WithJitter(ctx context.Context, s Jitter) context.Context {
	return context.WithValue(ctx, jitterKey{}, s)
}

// JitterOf returns the Jitter of ctx, else one that draws at random.
func JitterOf(ctx context.Context) Jitter {
	if s, ok := ctx.Value(jitterKey{}).(Jitter); ok {
		return s
	}
	return rand.N[time.Duration]
}
