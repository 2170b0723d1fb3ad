package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"roundtable/workflows/task"
)

// TaskTimeout is how long a workflow task may take; one that was running when
// its worker was killed is tried again after that.
const TaskTimeout = 5 * time.Second

// How long an activity may be silent before it is taken for dead. With an embedded
// server both die together, and who starts it again ends what was under way: there
// silence only shows that a result was lost. A turn that waits in the queue of its
// model learns of a cancel by its heartbeat alone.
const (
	Heartbeat         = 5 * time.Second
	EmbeddedHeartbeat = 10 * time.Minute
)

type heartbeatKey struct{}

// withHeartbeats returns a context whose activities are heard as an embedded server
// needs it, or a cluster.
func withHeartbeats(ctx workflow.Context, embedded bool) workflow.Context {
	return workflow.WithValue(ctx, heartbeatKey{}, embedded)
}

// silence returns how long an activity may be silent.
func silence(ctx workflow.Context, name string) time.Duration {
	if embedded, _ := ctx.Value(heartbeatKey{}).(bool); embedded && name != task.TakeTurn {
		return EmbeddedHeartbeat
	}
	if name == task.Await { // hundreds of them only wait
		return 10 * Heartbeat
	}
	return Heartbeat
}

// executeActivity runs an activity until it succeeds or says that it cannot. Retries
// are unlimited: services come back, and answers that were stored are not asked again.
func executeActivity(ctx workflow.Context, name string, input any) workflow.Future {
	queue := workflow.GetActivityOptions(ctx).TaskQueue
	if queue == "" {
		queue = workflow.GetInfo(ctx).TaskQueueName
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           queue,
		StartToCloseTimeout: 7 * 24 * time.Hour, // a call waits for its place; hanging is the heartbeat's matter
		HeartbeatTimeout:    silence(ctx, name),
		WaitForCancellation: true, // an answer under way is kept
		Summary:             summaryOf(input),
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 500 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
			NonRetryableErrorTypes: []string{task.ErrPause, task.ErrFail},
		},
	})
	return workflow.ExecuteActivity(ctx, name, input)
}
