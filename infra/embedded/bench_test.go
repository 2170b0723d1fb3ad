package embedded_test

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"roundtable/infra"
	"roundtable/infra/embedded"
)

// The shape of one collaboration of the bare figures: 3 agents, 3 phases, 10 rounds.
const agents, turns = 3, 30

// BenchmarkCalls runs collaborations that only call: `go test -bench Calls -benchtime 300x`
// runs 300 of them, 100 at once. It reports calls/s and CPU per call, of server,
// worker and driver in this one process.
func BenchmarkCalls(b *testing.B) {
	b.Cleanup(infra.TuneGC(1 << 30))
	infra.TuneProcessors()
	for _, x := range []struct {
		unit, queue string
		calls       int // an activity
	}{{"call", "workflow", 1}, {"call", "own", 1}, {"round", "workflow", agents}} {
		for _, latency := range []time.Duration{0, 20 * time.Millisecond} {
			b.Run(fmt.Sprintf("activity=%s/queue=%s/latency=%s", x.unit, x.queue, latency), func(b *testing.B) {
				benchmarkCalls(b, shape{x.queue, agents / x.calls}, latency)
			})
		}
	}
}

// shape is where the activities of a talk are run, and how many at once.
type shape struct {
	Queue  string
	AtOnce int
}

func benchmarkCalls(b *testing.B, how shape, latency time.Duration) {
	s, err := embedded.Start(b.Context(), embedded.Config{Dir: b.TempDir(), Notices: io.Discard})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Stop()
	c, err := infra.Dial(b.Context(), s.Target())
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	for _, name := range []string{"workflow", "own"} {
		w := worker.New(c, name, infra.WorkerOptions())
		w.RegisterWorkflow(talk)
		w.RegisterActivityWithOptions(func(context.Context, string) (string, error) {
			time.Sleep(latency)
			return "ok", nil
		}, activity.RegisterOptions{Name: "call"})
		if err := w.Start(); err != nil {
			b.Fatal(err)
		}
		defer w.Stop()
	}
	var events atomic.Int64
	before := cpu(b)
	b.ResetTimer()
	b.SetParallelism(50) // of 2 cores: 100 at once
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			run, err := c.ExecuteWorkflow(b.Context(), client.StartWorkflowOptions{TaskQueue: "workflow"}, talk, how)
			if err == nil {
				err = run.Get(b.Context(), nil)
			}
			if err != nil {
				b.Error(err)
				return
			}
			if d, err := c.DescribeWorkflowExecution(b.Context(), run.GetID(), ""); err == nil {
				events.Add(d.GetWorkflowExecutionInfo().GetHistoryLength())
			}
		}
	})
	b.StopTimer()
	calls := float64(b.N * agents * turns)
	b.ReportMetric(calls/b.Elapsed().Seconds(), "calls/s")
	b.ReportMetric(float64((cpu(b)-before).Microseconds())/1000/calls, "cpu-ms/call")
	b.ReportMetric(float64(events.Load())/float64(b.N), "events")
}

func talk(ctx workflow.Context, how shape) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: how.Queue, StartToCloseTimeout: time.Minute, HeartbeatTimeout: 5 * time.Second,
	})
	for turn := range turns {
		said := make([]workflow.Future, how.AtOnce)
		for agent := range said {
			said[agent] = workflow.ExecuteActivity(ctx, "call", fmt.Sprintf("turn %d of agent %d", turn, agent))
		}
		for _, f := range said {
			if err := f.Get(ctx, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
