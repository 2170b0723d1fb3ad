package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"roundtable/workflows"
)

// Execute starts a workflow with the task queue and time limits of all; what names it in
// messages. The policy says what happens if it runs already.
func (e *Engine) Execute(ctx context.Context, what, workflow string, o client.StartWorkflowOptions, in any) (run client.WorkflowRun, err error) {
	o.TaskQueue, o.WorkflowTaskTimeout = e.Queue, workflows.TaskTimeout
	err = Patiently(ctx, e.notices, "start of the "+what, func() (err error) {
		run, err = e.Client.ExecuteWorkflow(ctx, o, workflow, in)
		return err
	})
	return run, err
}

// queryPatience is what a worker may take to say how its workflow is before the line of
// progress shows what it last said.
const queryPatience = 2 * time.Second

// Watch waits for a workflow and returns its result. Meanwhile show gets its
// status at every interval, and ends the wait by returning true: that status is
// the result then.
func Watch[S any](ctx context.Context, e *Engine, run client.WorkflowRun, what string, every time.Duration, show func(S) (stop bool)) (result S, err error) {
	ended := make(chan error, 1)
	go func() {
		ended <- Patiently(ctx, e.notices, "end of the "+what, func() error { return run.Get(ctx, &result) })
	}()
	tick := time.NewTicker(every)
	defer tick.Stop()
	var status S
	for {
		select {
		case err := <-ended:
			return result, err
		case <-tick.C:
			soon, cancel := context.WithTimeout(ctx, queryPatience)
			now, err := QueryStatus[S](soon, e.Client, run.GetID())
			if cancel(); err == nil { // a busy worker is asked again at the next tick
				status = now
				e.keepStatus(status)
			}
			if show(status) {
				return status, nil
			}
		}
	}
}

// QueryStatus returns the status that a running workflow reports.
func QueryStatus[S any](ctx context.Context, c client.Client, id string) (status S, err error) {
	value, err := c.QueryWorkflow(ctx, id, "", workflows.QueryStatus)
	if err == nil {
		err = value.Get(&status)
	}
	return status, err
}

// SettledStatus is QueryStatus for a workflow whose worker may have been killed in the
// middle of a task: until that task is given out again, the SDK can fail to replay the
// history for a query.
func SettledStatus[S any](ctx context.Context, c client.Client, id string) (status S, err error) {
	for began := time.Now(); ; {
		status, err = QueryStatus[S](ctx, c, id)
		if _, failed := errors.AsType[*serviceerror.QueryFailed](err); !failed || time.Since(began) > 4*workflows.TaskTimeout {
			return status, err
		}
		select {
		case <-ctx.Done():
			return status, err
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// IsRunning reports whether a workflow is open.
func IsRunning(ctx context.Context, c client.Client, workflowID string) bool {
	d, err := c.DescribeWorkflowExecution(ctx, workflowID, "")
	return err == nil && d.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
}

// WhyUnreadable returns why the status of a workflow that runs cannot be had; nil if it does not run.
func WhyUnreadable(ctx context.Context, c client.Client, workflowID string, cause error) error {
	d, err := c.DescribeWorkflowExecution(ctx, workflowID, "")
	if err != nil || d.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return nil
	}
	if task := d.GetPendingWorkflowTask(); task.GetAttempt() > 1 {
		return errors.Join(fmt.Errorf("its worker has failed %d times to go on; worker.log says why", task.GetAttempt()-1), cause)
	}
	return cause
}
