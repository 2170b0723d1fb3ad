package engine

import (
	"context"
	"sync"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/temporal"

	"roundtable/infra"
)

// retryLost ends the activities that an earlier process of this embedded server had
// begun: they died with it, and are tried again at once. It looks more than once,
// because the server may list a workflow late. What is missed all the same ends when
// it has been silent for too long.
func (e *Engine) retryLost(ctx context.Context) {
	for _, pause := range []time.Duration{0, 3 * time.Second, 15 * time.Second} {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
			e.retryListed(ctx)
		}
	}
}

func (e *Engine) retryListed(ctx context.Context) {
	open := make(chan *commonpb.WorkflowExecution)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for w := range open {
				e.retryLostOf(ctx, w)
			}
		})
	}
	defer all.Wait()
	defer close(open)
	for request := (&workflowservice.ListWorkflowExecutionsRequest{Query: "ExecutionStatus = 'Running'"}); ; {
		page, err := e.Client.ListWorkflow(ctx, request)
		if err != nil {
			return
		}
		for _, w := range page.GetExecutions() {
			select {
			case open <- w.GetExecution():
			case <-ctx.Done():
				return
			}
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.NextPageToken) == 0 {
			return
		}
	}
}

func (e *Engine) retryLostOf(ctx context.Context, w *commonpb.WorkflowExecution) {
	d, err := e.Client.DescribeWorkflowExecution(ctx, w.GetWorkflowId(), w.GetRunId())
	if err != nil {
		return // it has ended
	}
	for _, p := range d.GetPendingActivities() {
		if isLost := p.GetLastWorkerIdentity() != e.identity && p.GetLastStartedTime() != nil; !isLost {
			continue
		}
		switch p.GetState() {
		case enumspb.PENDING_ACTIVITY_STATE_STARTED:
			err = temporal.NewApplicationErrorWithOptions("the program that did it has ended", "lost",
				temporal.ApplicationErrorOptions{NextRetryDelay: time.Millisecond})
		case enumspb.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED:
			err = temporal.NewCanceledError()
		default:
			continue
		}
		_ = e.Client.CompleteActivityByID(ctx, infra.Namespace, w.GetWorkflowId(), w.GetRunId(), p.GetActivityId(), nil, err)
	}
}
