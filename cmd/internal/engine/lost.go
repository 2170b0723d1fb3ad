package engine

import (
	"context"
	"sync"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/temporal"

	"roundtable/activities/failure"
	"roundtable/infra"
)

// How often the time is looked at, how much later than that tells that the process
// stood still, and how long an activity takes at most from the server to its start.
const (
	lookEvery  = 2 * time.Second
	stoodStill = 5 * time.Second
	handedOver = 3 * time.Second
)

// retryLost ends the activities that nobody works on, which are tried again at once:
// those that an earlier process of this embedded server had begun, and those that the
// server handed out while this process stood still (a laptop that slept, Ctrl-Z), whose
// connection broke meanwhile. It looks more than once, because the server may list a
// workflow late. What is missed all the same ends when it has been silent for too long.
func (e *Engine) retryLost(ctx context.Context) {
	stood := watchStandstills(ctx)
	for {
		for _, pause := range []time.Duration{0, handedOver + time.Second, 15 * time.Second} {
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
				e.retryListed(ctx)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-stood:
		}
	}
}

// watchStandstills reports when the process has stood still for a while.
func watchStandstills(ctx context.Context) <-chan struct{} {
	stood := make(chan struct{}, 1)
	go func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for last := time.Now().Round(0); ; { // by the time of day, which goes on while a machine sleeps
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			now := time.Now().Round(0)
			if now.Sub(last) > lookEvery+stoodStill {
				select {
				case stood <- struct{}{}:
				default: // one waits to be read already
				}
			}
			last = now
		}
	}()
	return stood
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
		if !e.isLost(w, p) {
			continue
		}
		switch p.GetState() {
		case enumspb.PENDING_ACTIVITY_STATE_STARTED:
			err = temporal.NewApplicationErrorWithOptions("nobody works on it: its program has ended, or stood still",
				"lost",
				temporal.ApplicationErrorOptions{NextRetryDelay: time.Millisecond})
		case enumspb.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED:
			err = temporal.NewCanceledError()
		default:
			continue
		}
		_ = e.Client.CompleteActivityByID(ctx, infra.Namespace, w.GetWorkflowId(), w.GetRunId(),
			p.GetActivityId(), nil, err)
	}
}

// isLost reports whether an activity was handed out, and nobody works on it.
func (e *Engine) isLost(w *commonpb.WorkflowExecution, p *workflowpb.PendingActivityInfo) bool {
	switch {
	case p.GetLastStartedTime() == nil:
		return false
	case p.GetLastWorkerIdentity() != e.identity:
		return true
	}
	made := failure.Attempt{RunID: w.GetRunId(), ActivityID: p.GetActivityId(), Number: p.GetAttempt()}
	return time.Since(p.GetLastStartedTime().AsTime()) > handedOver && !e.Activities.IsRunning(made)
}
