package campaigns

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
		if _, failed := errors.AsType[*serviceerror.QueryFailed](err); !failed ||
			time.Since(began) > 4*workflows.TaskTimeout {
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

// whyUnreadable returns why the status of a workflow that runs cannot be had; nil if it does not run.
func whyUnreadable(ctx context.Context, c client.Client, workflowID string, cause error) error {
	d, err := c.DescribeWorkflowExecution(ctx, workflowID, "")
	if err != nil || d.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return nil
	}
	if task := d.GetPendingWorkflowTask(); task.GetAttempt() > 1 {
		return errors.Join(fmt.Errorf("its worker has failed %d times to continue; worker.log says why",
			task.GetAttempt()-1), cause)
	}
	return cause
}
