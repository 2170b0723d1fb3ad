package embedded_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.temporal.io/server/common/config"

	"roundtable/infra"
	"roundtable/infra/embedded"
)

// countFaults counts the messages about injected faults.
type countFaults struct{ seen *atomic.Int64 }

func (c countFaults) Enabled(context.Context, slog.Level) bool { return true }
func (c countFaults) WithAttrs([]slog.Attr) slog.Handler       { return c }
func (c countFaults) WithGroup(string) slog.Handler            { return c }
func (c countFaults) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if strings.Contains(fmt.Sprint(a.Value), "fault injection") {
			c.seen.Add(1)
			return false
		}
		return true
	})
	return nil
}

// hundred sums up what 100 activities answer, 25 at a time.
func hundred(ctx workflow.Context) (int, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		// A lost answer is noticed by this alone.
		StartToCloseTimeout: time.Second,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 10 * time.Millisecond},
	})
	sum := 0
	for round := range 4 {
		var asked [25]workflow.Future
		for i := range asked {
			asked[i] = workflow.ExecuteActivity(ctx, "ask", 25*round+i)
		}
		for _, f := range asked {
			var n int
			if err := f.Get(ctx, &n); err != nil {
				return 0, err
			}
			sum += n
		}
	}
	return sum, nil
}

func TestDatabaseFaultsAreSurvived(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some ten seconds: the server waits after each fault")
	}
	var faults, calls atomic.Int64
	s, err := embedded.Start(t.Context(), embedded.Config{
		Dir: t.TempDir(), Notices: io.Discard, Logger: slog.New(countFaults{&faults}),
		Inject: injectFaults(0.05, 7),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	c, err := infra.Dial(t.Context(), s.Target())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w := worker.New(c, "main", infra.WorkerOptions())
	w.RegisterWorkflow(hundred)
	w.RegisterActivityWithOptions(func(_ context.Context, n int) (int, error) {
		calls.Add(1)
		return n, nil
	}, activity.RegisterOptions{Name: "ask"})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	began := time.Now()
	sum, err := sumUp(ctx, c)
	if err != nil || sum != 4950 {
		t.Errorf("sum %d, %v; want 4950", sum, err)
	}
	t.Logf("%d faults reported, 100 activities in %d calls, %s", faults.Load(), calls.Load(), time.Since(began))
	if faults.Load() == 0 {
		t.Error("no fault was injected")
	}
}

// sumUp starts the workflow and waits for it; a start that timed out may have
// taken place, so the same id is used again.
func sumUp(ctx context.Context, c client.Client) (sum int, err error) {
	for {
		run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "hundred", TaskQueue: "main", WorkflowTaskTimeout: time.Second}, hundred)
		if err == nil {
			err = run.Get(ctx, &sum)
		}
		if err == nil || ctx.Err() != nil || temporal.IsApplicationError(err) {
			return sum, err
		}
	}
}

// faulty are the methods between a workflow and its disk: histories, and the
// tasks that workers take.
var faulty = []struct {
	store  config.DataStoreName
	method string
	writes bool
}{
	{config.ExecutionStoreName, "CreateWorkflowExecution", true},
	{config.ExecutionStoreName, "UpdateWorkflowExecution", true},
	{config.ExecutionStoreName, "AppendHistoryNodes", true},
	{config.ExecutionStoreName, "AddHistoryTasks", true},
	{config.ExecutionStoreName, "GetWorkflowExecution", false},
	{config.ExecutionStoreName, "GetCurrentExecution", false},
	{config.ExecutionStoreName, "ReadHistoryBranch", false},
	{config.ExecutionStoreName, "GetHistoryTasks", false},
	{config.TaskStoreName, "CreateTasks", true},
	{config.TaskStoreName, "UpdateTaskQueue", true},
	{config.TaskStoreName, "GetTasks", false},
}

// injectFaults makes each of them fail at a rate, half of the failing writes after they were done. Which
// calls of a method fail, and nothing else, follows from the seed.
func injectFaults(rate float64, seed uint32) *config.FaultInjection {
	inject := &config.FaultInjection{}
	for n, m := range faulty {
		rates := map[string]float64{"Timeout": rate / 2, "ResourceExhausted": rate / 2}
		if m.writes {
			rates = map[string]float64{"Timeout": rate / 4, "ResourceExhausted": rate / 4,
				"ExecuteAndTimeout": rate / 2}
		}
		for fault, share := range rates {
			inject.WithError(m.store, m.method, fault, share)
		}
		// The injector takes 0 for a seed from the clock.
		inject.WithMethodSeed(m.store, m.method, int64(seed)*int64(len(faulty))+int64(n)+1)
	}
	return inject
}
