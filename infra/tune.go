package infra

import (
	"context"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// TuneGC trades memory for CPU: the collector waits until the heap is five times
// what lives, and works as usual near limit bytes. Where thousands of calls under way
// need more than that, the limit follows: below what lives, the collector would
// never rest. GOGC and GOMEMLIMIT, when set, win. Call it at the start of a program.
func TuneGC(ctx context.Context, limit int64) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" && debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(limit)
		go followMemory(ctx, limit)
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

// followMemory keeps the limit at least at two and a half times what is needed.
func followMemory(ctx context.Context, least int64) {
	needed := []metrics.Sample{
		{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"},
		{Name: "/memory/classes/metadata/mspan/inuse:bytes"}, {Name: "/memory/classes/metadata/other:bytes"},
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		metrics.Read(needed)
		sum := int64(0)
		for _, s := range needed {
			sum += int64(s.Value.Uint64())
		}
		debug.SetMemoryLimit(max(least, sum*5/2))
	}
}
