package engine

import (
	"context"
	"time"

	"go.temporal.io/sdk/client"

	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/infra"
	"roundtable/workflows"
)

// Execute starts a workflow with the task queue and time limits of all; what names it in
// messages. The policy says what happens if it runs already.
func (e *Engine) Execute(ctx context.Context, what, workflow string, o client.StartWorkflowOptions,
	in any) (run client.WorkflowRun, err error) {
	o.TaskQueue, o.WorkflowTaskTimeout = e.Queue, workflows.TaskTimeout
	err = campaigns.RetryWhileLate(ctx, e.notices, "start of the "+what, func() (err error) {
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
func Watch[S any](ctx context.Context, e *Engine, run client.WorkflowRun, what string, every time.Duration,
	show func(S) (stop bool)) (result S, err error) {
	ended := make(chan error, 1)
	go func() {
		ended <- campaigns.RetryWhileLate(ctx, e.notices, "end of the "+what,
			func() error { return run.Get(ctx, &result) })
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
			now, err := campaigns.QueryStatus[S](soon, e.Client, run.GetID())
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

// Visibility returns how much Temporal's tools are shown of the engine's campaigns: a
// namespace of others may lack our search attributes.
func (e *Engine) Visibility(ctx context.Context, o *cli.Options) workflows.Visibility {
	return workflows.Visibility{Searchable: infra.HasSearchAttributes(ctx, e.Client, campaigns.Namespace(o),
		workflows.SearchAttributes())}
}
