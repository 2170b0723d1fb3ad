package infra_test

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"roundtable/infra"
)

// The limit of memory follows what a program comes to need, and goes with what it was for:
// one that stays below what lives keeps the collector at work for good.
func TestTuneGC(t *testing.T) {
	t.Setenv("GOGC", "100")
	t.Setenv("GOMEMLIMIT", "")
	const least, needed = 1 << 20, 256 << 20
	await := func(what string, holds func(limit int64) bool) {
		t.Helper()
		for began := time.Now(); !holds(debug.SetMemoryLimit(-1)); time.Sleep(10 * time.Millisecond) {
			if time.Since(began) > time.Minute {
				t.Fatalf("%s: the limit stays %d", what, debug.SetMemoryLimit(-1))
			}
		}
	}
	for range 2 {
		ctx, end := context.WithCancel(t.Context())
		infra.TuneGC(ctx, least)
		held := make([]byte, needed)
		await("while it is needed", func(limit int64) bool { return limit > needed && limit < math.MaxInt64 })
		runtime.KeepAlive(held)
		end()
		await("after the end", func(limit int64) bool { return limit == math.MaxInt64 })
	}
}
