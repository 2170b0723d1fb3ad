// Package jitter draws the random parts of pauses, which keep callers that failed
// together from coming back together. A context may bring its own source: with it
// a simulation is played again exactly.
package jitter

import (
	"context"
	"math/rand/v2"
	"time"
)

// Source draws a duration from 0 up to a limit.
type Source func(limit time.Duration) time.Duration

type sourceKey struct{}

// With returns a context whose pauses are drawn from a source.
func With(ctx context.Context, s Source) context.Context {
	return context.WithValue(ctx, sourceKey{}, s)
}

// From returns the source of a context, else chance.
func From(ctx context.Context) Source {
	if s, ok := ctx.Value(sourceKey{}).(Source); ok {
		return s
	}
	return rand.N[time.Duration]
}
