// Package infra connects to the durable engine: clients of a Temporal server in this
// process (package embedded), in another process of this machine, or on a cluster; the
// settings of their workers; and locks on files, which keep two programs apart.
//
// It promises:
//   - [Dial] never sends plaintext past this machine unless told to.
//   - What a client sends is compressed and, with a key, encrypted before it leaves this
//     process; see package codec.
//   - A server that will never admit this client is not waited for, and the error says
//     what to set.
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

	"go.temporal.io/sdk/worker"
)

// Namespace is the only namespace of an embedded server; it keeps closed histories for 24 h.
const Namespace = "default"

// ClientFile is the name of a file in a server's folder while it runs: its address, and the
// client certificate that it admits. Our own commands, Temporal's command line and its SDKs read
// it as TOML; tools that take PEM files find the certificate and its key in it.
const ClientFile = "temporal.toml"

// TuneGC trades memory for CPU: the collector lets the heap grow to five times the live data
// (GOGC 400), under a memory limit of limit bytes, which is raised while the live data need more:
// a limit below them would keep the collector running. GOGC and GOMEMLIMIT, when set, win. end
// removes the limit and sets GOGC to 50, for the tables that follow and keep what they read;
// those of 100,000 collaborations took 1.4 times as long under a limit that lagged behind, and
// three times under a fixed one.
func TuneGC(limit int64) (end func()) {
	SetGCPercent(400)
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
		SetGCPercent(50)
	}
}

// SetGCPercent sets how many percent above the live data the heap grows until it is collected; GOGC, when set, wins.
func SetGCPercent(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}

// TuneProcessors sets GOMAXPROCS above the number of processors, by up to 8 and at most twice as
// many: a durable write waits for the disk in a system call, and Go takes a while to see that its
// processor is free. GOMAXPROCS, when set, wins. Call it at the start of a program.
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

// EagerCalls is the most activities that a worker starts directly with the reply to one workflow
// task; no fewer than the agents that speak at once.
const EagerCalls = 128

// WorkerOptions returns settings for a worker that were chosen by measurement; callers may change
// them.
func WorkerOptions() worker.Options {
	eager := EagerCalls
	return worker.Options{
		// An activity on its workflow's own task queue comes back with the reply to
		// the workflow task and skips matching and polling: half the CPU a call.
		// The default of 3 would send the other agents the long way.
		MaxEagerActivityReservationsPerWorkflowTask: &eager,
		// Calls wait for models, not for the machine: the SDK's 1,000 would be the
		// limit of a campaign before any of its own.
		MaxConcurrentActivityExecutionSize: 4096,
		WorkflowTaskPollerBehavior:         worker.NewPollerBehaviorAutoscaling(worker.PollerBehaviorAutoscalingOptions{}),
		ActivityTaskPollerBehavior:         worker.NewPollerBehaviorAutoscaling(worker.PollerBehaviorAutoscalingOptions{}),
		// A workflow that does not yield is a mistake of ours. After the SDK's 1 s it would
		// also be a machine that is far behind, whose histories are then played again.
		DeadlockDetectionTimeout: time.Minute,
		// Stop waits this long for calls in flight: they are paid for.
		WorkerStopTimeout: 2 * time.Minute,
		// What an activity waits for is seen soon, however long it may be silent.
		MaxHeartbeatThrottleInterval: 10 * time.Second,
	}
}

// KeepWorkflows sets how many running workflows this process keeps in memory
// between their tasks; another is replayed from its history at every task. Call
// it before the first worker starts. The SDK's default is 10,000.
func KeepWorkflows(running int) { worker.SetStickyWorkflowCacheSize(max(running, 1)) }

// NameBuild makes workers report the program's version, with its commit, to servers as their
// build. Call it before the first worker is made; otherwise the SDK reads and hashes the whole
// program at every start.
func NameBuild() {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	worker.SetBinaryChecksum("roundtable " + version)
}
