package workflows

import (
	"cmp"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"roundtable/workflows/task"
)

// TaskTimeout is how long a workflow task may take, and so how soon a task of a killed worker is
// tried again.
const TaskTimeout = 5 * time.Second

// DefaultHeartbeat is how long an activity may go without a heartbeat before it is taken for
// dead. With an embedded server, which stops with its program, a longer time is enough and costs
// less.
const DefaultHeartbeat = 5 * time.Second

type heartbeatKey struct{}

// withHeartbeat returns a context whose activities may be silent for so long.
func withHeartbeat(ctx workflow.Context, d time.Duration) workflow.Context {
	return workflow.WithValue(ctx, heartbeatKey{}, cmp.Or(d, DefaultHeartbeat))
}

// executeActivity runs an activity until it succeeds or says that it cannot. Retries
// are unlimited: services come back, and answers that were stored are not asked again.
// The summary is what Temporal's own tools show of it.
func executeActivity(ctx workflow.Context, name, summary string, input any) workflow.Future {
	queue := workflow.GetActivityOptions(ctx).TaskQueue
	if queue == "" {
		queue = workflow.GetInfo(ctx).TaskQueueName
	}
	heartbeat := ctx.Value(heartbeatKey{}).(time.Duration)
	if name == task.Await { // hundreds of them only wait
		heartbeat *= 10
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           queue,
		StartToCloseTimeout: 7 * 24 * time.Hour, // a call waits for its place; hanging is the heartbeat's matter
		HeartbeatTimeout:    heartbeat,
		WaitForCancellation: true, // an answer under way is kept
		Summary:             summary,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 500 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: task.LongestBackoff,
			NonRetryableErrorTypes: []string{task.ErrPause, task.ErrFail},
		},
	})
	return workflow.ExecuteActivity(ctx, name, input)
}
