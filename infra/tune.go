package infra

import (
	"context"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"time"
)

// TuneGC trades memory for CPU: the collector waits until the heap is five times
// what lives, and works as usual near limit bytes. Where thousands of calls under way
// need more than that, the limit follows: below what lives, the collector would
// never rest. GOGC and GOMEMLIMIT, when set, win. The function that is returned ends it,
// for what comes after: tables keep what they have read, so the collector waits for half
// of that, without a limit. Those of 100,000 collaborations took 1.4 times as long under
// one that lagged behind, and three times under one that nothing followed any more.
func TuneGC(limit int64) (end func()) {
	setPercent := func(percent int) {
		if os.Getenv("GOGC") == "" {
			debug.SetGCPercent(percent)
		}
	}
	setPercent(400)
	ctx, cancel := context.WithCancel(context.Background())
	var following sync.WaitGroup
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
		following.Go(func() {
			followMemory(ctx, limit)
			debug.SetMemoryLimit(math.MaxInt64)
		})
	}
	return func() {
		cancel()
		following.Wait()
		setPercent(50)
	}
}

// TuneProcessors lets more goroutines run at once than there are processors, twice as
// many at most: a durable write waits for the disk in a call of the system, and Go
// takes a while to see that its processor is free. GOMAXPROCS, when set, wins. Call
// it at the start of a program.
func TuneProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		n := runtime.GOMAXPROCS(0)
		runtime.GOMAXPROCS(n + min(n, 8))
	}
}

// maxGarbage is how far the limit is above what is needed, at most. Allocations made
// while a slow collection runs pass for needed, so twice that would grow by itself.
const maxGarbage = 512 << 20

// settled is for how many seconds something must be needed until as much garbage is
// allowed: a compaction of seconds is no reason to let the whole program grow.
const settled = 30

// followMemory keeps the limit half above what is needed, or maxGarbage, and not
// much above what has only just come to be needed. That is all that the limit counts but
// garbage and free pages. What many collaborations leave between objects that live counts,
// too: a limit below it would keep the collector at work for good.
func followMemory(ctx context.Context, least int64) {
	counted := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"},
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var last [settled]int64 // what was needed in each of the last seconds
	for second := 0; ; second++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		metrics.Read(counted)
		of := func(i int) int64 { return int64(counted[i].Value.Uint64()) }
		now := of(0) - of(1) - of(2) - max(0, of(3)-of(4))
		last[second%settled] = now
		long := slices.Min(last[:])
		debug.SetMemoryLimit(max(least, long+min(long/2, maxGarbage), now+now/8))
	}
}
