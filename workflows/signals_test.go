package workflows_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"roundtable/infra/codec"
	"roundtable/workflows"
	"roundtable/workflows/campaignfile"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/task"
)

// The engine may deliver signals of a campaign in another order than they were
// sent in: the latest that was sent counts, whenever it comes.
func TestSignalsOutOfOrder(t *testing.T) {
	file, err := campaignfile.Parse([]byte(campaign("late", "majority", 1, 3, 3)), campaignfile.Host{Catalogue: catalogue.Builtin(), Data: folder})
	if err != nil {
		t.Fatal(err)
	}
	type sent struct {
		name string
		arg  any
	}
	pause := func(epoch int) sent { return sent{workflows.SignalPause, workflows.Pause{Epoch: epoch}} }
	resume := func(epoch int) sent { return sent{workflows.SignalResume, epoch} }
	for _, c := range []struct {
		what    string
		signals []sent // one an hour
		goesOn  int    // the hour in which it goes on, having been paused in epoch 1
	}{
		{"in order", []sent{pause(1), resume(2)}, 2},
		{"an earlier resume", []sent{resume(1), resume(2)}, 2},
		{"the resume before its pause", []sent{resume(2), pause(1)}, 1},
		{"a later pause before an earlier resume", []sent{pause(2), resume(2), resume(3)}, 3},
	} {
		var suite testsuite.WorkflowTestSuite
		suite.SetLogger(slog.New(slog.DiscardHandler))
		env := suite.NewTestWorkflowEnvironment()
		env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is not a deadlock
		env.SetWorkflowRunTimeout(10 * time.Hour)
		env.RegisterWorkflowWithOptions(workflows.Collaboration(catalogue.Builtin()), workflow.RegisterOptions{Name: task.CollaborationWorkflow})
		simulate(env, task.Record, func(context.Context, task.Ending) (task.Result, error) { return task.Result{}, nil })
		known := task.RoundResult{Setting: &task.Setting{Condition: file.Campaign.Conditions[0], Agents: 3}}
		var hours []int
		begin := env.Now()
		simulate(env, task.PlayRound, func(context.Context, task.Round) (task.RoundResult, error) {
			hours = append(hours, int(env.Now().Sub(begin).Hours()))
			if len(hours) == 1 && c.signals[len(c.signals)-1].name == workflows.SignalPause { // it comes while the turn is under way
				last := c.signals[len(c.signals)-1]
				env.SignalWorkflow(last.name, last.arg)
				return known, nil
			}
			return known, temporal.NewNonRetryableApplicationError("that is enough", task.ErrFail, nil)
		})
		for hour, s := range c.signals {
			env.RegisterDelayedCallback(func() { env.SignalWorkflow(s.name, s.arg) }, time.Duration(hour+1)*time.Hour)
		}
		env.ExecuteWorkflow(task.CollaborationWorkflow, workflows.CollaborationInput{Paused: true, Epoch: 1})
		if err := env.GetWorkflowError(); err != nil || len(hours) == 0 || slices.ContainsFunc(hours, func(h int) bool { return h != c.goesOn }) {
			t.Errorf("%s: it went on in hours %d, want %d; %v", c.what, hours, c.goesOn, err)
		}
	}
}

// A call that failed before the operator resumed the campaign does not pause it
// again: its siblings may have kept the collaboration from saying so before.
func TestFailuresOfBeforeTheResume(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(slog.New(slog.DiscardHandler))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is not a deadlock
	env.RegisterWorkflowWithOptions(workflows.Collaboration(catalogue.Builtin()), workflow.RegisterOptions{Name: task.CollaborationWorkflow})
	simulate(env, task.Record, func(_ context.Context, e task.Ending) (task.Result, error) {
		return task.Result{}, temporal.NewNonRetryableApplicationError(e.Failure, task.ErrFail, nil)
	})
	tries := 0
	simulate(env, task.PlayRound, func(context.Context, task.Round) (task.RoundResult, error) {
		if tries++; tries == 1 { // resumed while others of the plan were still under way
			env.SignalWorkflow(workflows.SignalResume, 1)
			return task.RoundResult{}, temporal.NewNonRetryableApplicationError("wrong key", task.ErrPause, nil)
		}
		return task.RoundResult{}, temporal.NewNonRetryableApplicationError("asked again", task.ErrFail, nil)
	})
	env.ExecuteWorkflow(task.CollaborationWorkflow, workflows.CollaborationInput{})
	if err := env.GetWorkflowError(); err == nil || !strings.Contains(err.Error(), "asked again") {
		t.Errorf("the collaboration ends with %v", err)
	}
}

// A pause says in which epoch it was sent, also one by hand: otherwise
// collaborations would pass it over as late.
func TestPausesNameTheirEpoch(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	e := newEngine(t, true, nil)
	run := e.start(e.plan(campaign("epochs", "majority", 6, 3, 3)), func(in *workflows.CampaignInput) { in.Limits.Collaborations = 2 })
	for epoch := range 2 {
		e.signal("epochs", workflows.SignalPause, workflows.Pause{Reason: "by hand"})
		e.until("it is paused", func() bool { return e.status("epochs").Paused })
		e.until("its collaborations are told so", func() bool { return slices.Contains(e.pauses(run), epoch) })
		e.signal("epochs", workflows.SignalResume, nil)
	}
	e.wait(run)
}

// pauses returns the epochs of the pauses that a campaign has sent.
func (e *engine) pauses(run client.WorkflowRun) (epochs []int) {
	e.t.Helper()
	for h := e.client.GetWorkflowHistory(e.t.Context(), run.GetID(), "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); h.HasNext(); {
		event, err := h.Next()
		if err != nil {
			e.t.Fatal(err)
		}
		if sent := event.GetSignalExternalWorkflowExecutionInitiatedEventAttributes(); sent != nil && sent.SignalName == workflows.SignalPause {
			var p workflows.Pause
			if err := (codec.Keys{}).DataConverter().FromPayloads(sent.Input, &p); err != nil {
				e.t.Fatal(err)
			}
			epochs = append(epochs, p.Epoch)
		}
	}
	return epochs
}
