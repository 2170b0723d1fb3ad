// Package hosting registers activities with workers of Temporal: it tells them of their attempts, sends
// their heartbeats, and turns their failures into Temporal's errors. No other package of the runner knows
// Temporal.
package hosting

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"roundtable/activities"
	"roundtable/activities/calls"
	"roundtable/activities/failure"
	"roundtable/workflows/task"
)

// Register registers all activities with w under their names. c waits for collaborations of an earlier run.
func Register(w worker.ActivityRegistry, a *activities.Activities, c client.Client) {
	registerActivity(a, w, task.PlayRound, a.PlayRound)
	registerActivity(a, w, task.PlayThrough, a.PlayThrough)
	registerActivity(a, w, task.Record, a.Record)
	registerActivity(a, w, task.Survey, a.Survey)
	registerActivity(a, w, task.Ask, a.Ask)
	registerActivity(a, w, task.StopAnswered, a.StopAnswered)
	registerActivity(a, w, task.StopUnstarted, a.StopUnstarted)
	registerActivity(a, w, task.Await, func(ctx context.Context, workflowID string) (task.Result, error) {
		return await(ctx, c, workflowID)
	})
	registerActivity(a, w, task.Hold, a.Hold)
	registerActivity(a, w, task.Compact, a.Compact)
	registerActivity(a, w, task.Seal, a.Seal)
	registerActivity(a, w, task.Notify, a.Notify)
	RegisterTurns(w, a)
}

// RegisterTurns registers with w only TakeTurn, for the task queue of one model.
func RegisterTurns(w worker.ActivityRegistry, a *activities.Activities) {
	registerActivity(a, w, task.TakeTurn, a.TakeTurn)
}

// registerActivity wraps an activity: it heartbeats while it runs, if its workflow wants
// to hear of its death, and its errors are Temporal's.
func registerActivity[In, Out any](a *activities.Activities, w worker.ActivityRegistry, name string,
	do func(context.Context, In) (Out, error)) {
	w.RegisterActivityWithOptions(func(ctx context.Context, in In) (Out, error) {
		ctx, stage := calls.WithStage(a.Stage(failure.WithHost(ctx, hostOf(ctx))))
		defer stage.Leave()
		defer startHeartbeat(ctx, stage)()
		out, err := activities.Make(ctx, a, in, do)
		return out, toTemporal(err)
	}, activity.RegisterOptions{Name: name})
}

func hostOf(ctx context.Context) failure.Host {
	info := activity.GetInfo(ctx)
	return failure.Host{
		Attempt:   failure.Attempt{RunID: info.WorkflowExecution.RunID, ActivityID: info.ActivityID, Number: info.Attempt},
		TaskQueue: info.TaskQueue, Stops: activity.GetWorkerStopChannel(ctx),
		LogPanic: func(text, stack string) { activity.GetLogger(ctx).Error(text, "Stack", stack) },
	}
}

// toTemporal returns an error of failure.ForHistory as Temporal knows it.
func toTemporal(err error) error {
	if errors.Is(err, failure.ErrCancelled) {
		return temporal.NewCanceledError()
	}
	f, ok := errors.AsType[*failure.Failure](err)
	if !ok {
		return err
	}
	options := temporal.ApplicationErrorOptions{NonRetryable: f.Final, NextRetryDelay: f.Delay}
	if f.Benign {
		options.Category = temporal.ApplicationErrorCategoryBenign
	}
	return temporal.NewApplicationErrorWithOptions(f.Message, f.Type, options)
}

// await waits for a collaboration that an earlier run of its campaign started.
func await(ctx context.Context, c client.Client, workflowID string) (task.Result, error) {
	var result task.Result
	err := c.GetWorkflow(ctx, workflowID, "").Get(ctx, &result)
	if failed, ok := task.ResultIn(err); ok {
		return failed, nil
	}
	var ended *temporal.WorkflowExecutionError
	var missing *serviceerror.NotFound
	if errors.As(err, &ended) || errors.As(err, &missing) { // anything else is a lost connection
		err = failure.Fail(errors.New(textOf(err)))
	}
	return result, err
}

// textOf returns err's message without the engine's words about retries.
func textOf(err error) string {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok {
		return err.Error()
	}
	return strings.Replace(err.Error(), app.Error(), app.Message(), 1)
}

// Heartbeats go out as often as keeps the activity alive, and what they say at least
// this often if it has changed.
const heartbeatEvery = 10 * time.Second

// startHeartbeat tells the server that the activity lives, and what its calls wait for, until
// the returned function is called.
func startHeartbeat(ctx context.Context, stage *calls.Stage) func() {
	silence := activity.GetInfo(ctx).HeartbeatTimeout
	if silence == 0 {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		said, last := "", time.Now() // a short round says nothing
		for {
			select {
			case <-done:
				return
			case <-tick.C:
			}
			text, waits := stage.Describe()
			since := time.Since(last)
			if since >= silence/5 || since >= heartbeatEvery && text != said {
				activity.RecordHeartbeat(ctx, text, waits)
				said, last = text, time.Now()
			}
		}
	}()
	return func() { close(done) }
}
