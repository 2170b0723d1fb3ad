package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	querypb "go.temporal.io/api/query/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"roundtable/infra"
	"roundtable/workflows"
)

// readable refuses to steer a campaign whose worker goes by another key: it
// could not read the signal, and would try to for ever. The worker's answer to
// a query says which key it uses; where nobody answers, nobody is asked.
func (o *options) readable(ctx context.Context, c client.Client, workflowID string) error {
	keys, err := infra.KeysFromEnv()
	if err != nil {
		return exit{exitUsage, err}
	}
	answer, err := c.WorkflowService().QueryWorkflow(ctx, &workflowservice.QueryWorkflowRequest{
		Namespace: o.temporalNamespace(), Execution: &commonpb.WorkflowExecution{WorkflowId: workflowID},
		Query: &querypb.WorkflowQuery{QueryType: workflows.QueryStatus},
	})
	if err != nil {
		return nil
	}
	for _, p := range answer.GetQueryResult().GetPayloads() {
		if err := keys.Match(p); err != nil {
			return exit{exitUsage, fmt.Errorf("nothing was sent: %w", err)}
		}
	}
	return nil
}

// temporalNamespace is that of the engine that connect finds.
func (o *options) temporalNamespace() string {
	target := infra.TargetFromEnv(o.temporal)
	if target.HostPort == "" {
		return infra.Namespace
	}
	return cmp.Or(o.namespace, target.Namespace, infra.Namespace)
}

// isRunning reports whether a workflow is open.
func isRunning(ctx context.Context, c client.Client, workflowID string) bool {
	d, err := c.DescribeWorkflowExecution(ctx, workflowID, "")
	return err == nil && d.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
}

// unread is why the status of a workflow that runs cannot be had; nil if it does not run.
func unread(ctx context.Context, c client.Client, workflowID string, cause error) error {
	d, err := c.DescribeWorkflowExecution(ctx, workflowID, "")
	if err != nil || d.GetWorkflowExecutionInfo().GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return nil
	}
	if task := d.GetPendingWorkflowTask(); task.GetAttempt() > 1 {
		return errors.Join(fmt.Errorf("its worker has failed %d times to go on; worker.log says why", task.GetAttempt()-1), cause)
	}
	return cause
}
