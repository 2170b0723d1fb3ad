package infra

import (
	"runtime/debug"
	"time"

	"go.temporal.io/sdk/worker"
)

// EagerCalls is the most activities that a worker takes along with one workflow
// task; at least the agents that speak at once.
const EagerCalls = 128

// WorkerOptions returns the measured settings of a worker; change what you know better.
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

// NameBuild tells servers which build of the program works on a history: its
// version, which holds the commit. Call it before the first worker is made; the
// SDK would otherwise read and hash the whole program at every start.
func NameBuild() {
	version := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version = info.Main.Version
	}
	worker.SetBinaryChecksum("roundtable " + version)
}
