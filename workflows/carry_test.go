package workflows_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"roundtable/workflows"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// simulation runs a campaign's workflow alone, in a time of its own: its
// collaborations take an hour and its compaction a minute.
func simulation(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(slog.New(slog.DiscardHandler))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is not a deadlock
	env.RegisterWorkflowWithOptions(workflows.Campaign, workflow.RegisterOptions{Name: task.CampaignWorkflow})
	env.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ workflows.CollaborationInput) (task.Result, error) {
		return task.Result{Status: task.Succeeded}, workflow.Sleep(ctx, time.Hour)
	}, workflow.RegisterOptions{Name: task.CollaborationWorkflow})
	simulate(env, task.Survey, func(context.Context, task.Page) (task.Surveyed, error) {
		return task.Surveyed{Cells: []task.Outstanding{{ID: "a.0"}, {ID: "b.0"}}, Next: 9, Total: 9}, nil
	})
	left := 7 // failures, a minute of waiting in all
	simulate(env, task.Compact, func(context.Context, string) (struct{}, error) {
		if left--; left >= 0 {
			return struct{}{}, errors.New("not yet")
		}
		return struct{}{}, nil
	})
	simulate(env, task.Await, func(context.Context, string) (task.Result, error) {
		return task.Result{Status: task.Stopped}, nil
	})
	simulate(env, task.StopUnstarted, func(context.Context, []task.Ref) (struct{}, error) { return struct{}{}, nil })
	simulate(env, task.Hold, func(context.Context, task.Holding) (struct{}, error) { return struct{}{}, nil })
	simulate(env, task.Seal, func(context.Context, task.Sealing) (task.Surveyed, error) {
		return task.Surveyed{Total: 1, Sums: task.Sums{Ended: []task.Result{{Status: task.Stopped}}, Count: []int{1}}}, nil
	})
	return env
}

func simulate[In, Out any](env *testsuite.TestWorkflowEnvironment, name string, do func(context.Context, In) (Out, error)) {
	env.RegisterActivityWithOptions(func(ctx context.Context, in In) (Out, error) { return do(ctx, in) }, activity.RegisterOptions{Name: name})
}

// carried is what the next run of the workflow is told.
func carried(t *testing.T, env *testsuite.TestWorkflowEnvironment) workflows.CampaignInput {
	t.Helper()
	next, ok := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
	if !ok {
		t.Fatalf("the campaign did not go on in a new run: %v", env.GetWorkflowError())
	}
	var in workflows.CampaignInput
	if err := converter.GetDefaultDataConverter().FromPayloads(next.Input, &in); err != nil {
		t.Fatal(err)
	}
	return in
}

// What is said to a campaign while it waits to go on in a new run is not lost
// with the old one.
func TestSignalsWhileCarriedOver(t *testing.T) {
	env := simulation(t)
	env.RegisterDelayedCallback(func() {
		env.SignalWorkflow(workflows.SignalTune, plan.Limits{Collaborations: 7})
		env.SignalWorkflow(workflows.SignalPause, workflows.Pause{Reason: "by hand"})
	}, 30*time.Second) // the compaction is under way
	env.SetContinuedExecutionRunID("before")
	env.ExecuteWorkflow(task.CampaignWorkflow, workflows.CampaignInput{Name: "n", Length: 1})
	if in := carried(t, env); !in.Status.Paused || in.Limits.Collaborations != 7 {
		t.Errorf("the next run gets paused %v and %d collaborations at once, want true and 7", in.Status.Paused, in.Limits.Collaborations)
	}
}

// Word of a pause is sent before the run that has to send it ends.
func TestNoticeWhileCarriedOver(t *testing.T) {
	env := simulation(t)
	tries, sent := 0, false
	simulate(env, task.Notify, func(context.Context, task.Notice) (struct{}, error) {
		if tries++; tries < 9 { // longer than the compaction; the environment gives up at 10
			return struct{}{}, errors.New("the lake does not answer")
		}
		sent = !env.IsWorkflowCompleted()
		return struct{}{}, nil
	})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalPause, workflows.Pause{Reason: "by hand"}) }, 30*time.Second)
	env.SetContinuedExecutionRunID("before")
	env.ExecuteWorkflow(task.CampaignWorkflow, workflows.CampaignInput{Name: "n", Length: 1, Notify: true})
	if in := carried(t, env); !in.Status.Paused || !sent {
		t.Errorf("the next run gets paused %v, and word of it was sent before: %v, after %d tries", in.Status.Paused, sent, tries)
	}
}

// A run whose word of a pause is on its way waits for that, and for nothing else.
func TestHoldWhileCarriedOver(t *testing.T) {
	env := simulation(t)
	tries := 0
	simulate(env, task.Hold, func(context.Context, task.Holding) (struct{}, error) {
		if tries++; tries < 5 {
			return struct{}{}, errors.New("the lake does not answer")
		}
		return struct{}{}, nil
	})
	simulate(env, task.Notify, func(context.Context, task.Notice) (struct{}, error) { return struct{}{}, nil })
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalPause, workflows.Pause{Reason: "by hand"}) }, 30*time.Second)
	env.SetContinuedExecutionRunID("before")
	env.ExecuteWorkflow(task.CampaignWorkflow, workflows.CampaignInput{Name: "n", Length: 1, Notify: true})
	if in := carried(t, env); in.Held != "by hand" || in.Status.Succeeded > 0 || len(in.Running) != 1 {
		t.Errorf("the next run gets held %q, %v under way and %d that have ended meanwhile", in.Held, in.Running, in.Status.Succeeded)
	}
}

// A campaign that ends although it is paused leaves no word behind that would hold back the
// calls of the next workflow.
func TestNoHoldIsLeft(t *testing.T) {
	env := simulation(t)
	var words []string
	simulate(env, task.Hold, func(_ context.Context, in task.Holding) (struct{}, error) {
		words = append(words, in.Reason)
		return struct{}{}, nil
	})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalPause, workflows.Pause{Reason: "by hand"}) }, 30*time.Second)
	env.ExecuteWorkflow(task.CampaignWorkflow, workflows.CampaignInput{Name: "n"})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"by hand", ""}; !slices.Equal(words, want) {
		t.Errorf("calls were held back for %q, want %q", words, want)
	}
}

// A paused campaign that is cancelled says so, which has its batches cancelled.
func TestHoldOfPausedThatIsCancelled(t *testing.T) {
	env := simulation(t)
	var words []string
	simulate(env, task.Hold, func(_ context.Context, in task.Holding) (struct{}, error) {
		words = append(words, in.Reason)
		return struct{}{}, nil
	})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalPause, workflows.Pause{Reason: "by hand"}) }, 20*time.Second)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalCancel, nil) }, 30*time.Second)
	env.ExecuteWorkflow(task.CampaignWorkflow, workflows.CampaignInput{Name: "n"})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if len(words) < 2 || words[0] != "by hand" || words[1] != task.Cancelled {
		t.Errorf("calls were held back for %q", words)
	}
}

// A campaign that is extended while its tables are made goes on with the larger plan.
func TestExtendedWhileSealed(t *testing.T) {
	env := simulation(t)
	var sealed []string
	simulate(env, task.Seal, func(_ context.Context, s task.Sealing) (task.Surveyed, error) {
		if sealed = append(sealed, s.Revision); len(sealed) == 1 {
			env.SignalWorkflow(workflows.SignalExtend, workflows.CampaignInput{Name: "n", Revision: "larger"})
		}
		return task.Surveyed{Total: 2, Sums: task.Sums{Ended: []task.Result{{Status: task.Succeeded}}, Count: []int{2}}}, nil
	})
	env.ExecuteWorkflow(task.CampaignWorkflow, workflows.CampaignInput{Name: "n", Revision: "small"})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"small", "larger"}; !slices.Equal(sealed, want) {
		t.Errorf("sealed are %v, want %v", sealed, want)
	}
}

// A run that takes over a cancelled campaign cancels what is under way itself:
// what the run before asked for in its last moment was not sent.
func TestCancelledCampaignIsTakenOver(t *testing.T) {
	env := simulation(t)
	cancelled := make(chan string, 1) // the environment asks while the workflow ends
	env.OnRequestCancelExternalWorkflow("default-test-namespace", "campaign/n/old.0", "").Return(
		func(_, id, _ string) error { cancelled <- id; return nil })
	env.SetContinuedExecutionRunID("before")
	env.ExecuteWorkflow(task.CampaignWorkflow, workflows.CampaignInput{Name: "n", Ended: true, Running: []string{"old.0"}})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-cancelled:
	case <-time.After(10 * time.Second):
		t.Error("the collaboration under way was not cancelled")
	}
}

// What a batch leaves while the next page is awaited is not forgotten: the plan is gone
// through once.
func TestBatchEndsWhilePageIsAwaited(t *testing.T) {
	env := simulation(t)
	cells := map[int]task.Outstanding{0: {ID: "a.0", Instant: true}, 1: {ID: "b.0"}}
	pages, played := 0, false
	simulate(env, task.Survey, func(_ context.Context, page task.Page) (task.Surveyed, error) {
		if pages++; page.From == 1 && !played {
			return task.Surveyed{}, errors.New("not yet")
		}
		return task.Surveyed{Cells: []task.Outstanding{cells[page.From]}, Next: page.From + 1, Total: 2}, nil
	})
	simulate(env, task.PlayThrough, func(_ context.Context, in task.Batch) (task.Played, error) {
		played = true
		return task.Played{Left: []task.Outstanding{{ID: in.Cells[0].ID}}}, nil
	})
	simulate(env, task.Seal, func(context.Context, task.Sealing) (task.Surveyed, error) {
		return task.Surveyed{Total: 2, Sums: task.Sums{Ended: []task.Result{{Status: task.Succeeded}}, Count: []int{2}}}, nil
	})
	var begun []string
	env.SetOnChildWorkflowStartedListener(func(info *workflow.Info, _ workflow.Context, _ converter.EncodedValues) {
		begun = append(begun, info.WorkflowExecution.ID)
	})
	env.ExecuteWorkflow(task.CampaignWorkflow, workflows.CampaignInput{Name: "n", Length: 9})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(begun)
	if want := []string{"campaign/n/a.0", "campaign/n/b.0"}; !slices.Equal(begun, want) {
		t.Errorf("%d pages, begun %v, want %v", pages, begun, want)
	}
}

// What the operator can fix pauses the campaign whatever was being done, and no
// cell is failed for it.
func TestPersonMustActOnTheRest(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(slog.New(slog.DiscardHandler))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is not a deadlock
	env.RegisterWorkflowWithOptions(workflows.Campaign, workflow.RegisterOptions{Name: task.CampaignWorkflow})
	env.RegisterWorkflowWithOptions(workflows.Collaboration(catalogue.Builtin()), workflow.RegisterOptions{Name: task.CollaborationWorkflow})
	seen := map[string]int{}
	first := func(what string) error {
		if seen[what]++; seen[what] == 1 {
			return temporal.NewNonRetryableApplicationError("no room to "+what, task.ErrPause, nil)
		}
		return nil
	}
	simulate(env, task.Survey, func(context.Context, task.Page) (task.Surveyed, error) {
		return task.Surveyed{Cells: []task.Outstanding{{ID: "a.0"}}, Next: 1, Total: 1}, first(task.Survey)
	})
	simulate(env, task.PlayRound, func(context.Context, task.Round) (task.RoundResult, error) {
		if err := first(task.PlayRound); err != nil {
			return task.RoundResult{}, err
		}
		return task.RoundResult{}, temporal.NewNonRetryableApplicationError("it cannot go on", task.ErrFail, nil)
	})
	simulate(env, task.Hold, func(context.Context, task.Holding) (struct{}, error) { return struct{}{}, nil })
	var recorded task.Ending
	simulate(env, task.Record, func(_ context.Context, end task.Ending) (task.Result, error) {
		recorded = end
		return task.Result{Status: end.Status}, first(task.Record)
	})
	simulate(env, task.Seal, func(context.Context, task.Sealing) (task.Surveyed, error) {
		return task.Surveyed{Total: 1, Sums: task.Sums{Ended: []task.Result{{Status: task.Failed}}, Count: []int{1}}}, first(task.Seal)
	})
	var reasons []string
	for i := range 6 {
		env.RegisterDelayedCallback(func() {
			var s workflows.Status
			if value, err := env.QueryWorkflow(workflows.QueryStatus); err != nil || value.Get(&s) != nil {
				t.Errorf("no status: %v", err)
			}
			if s.Paused {
				reasons = append(reasons, s.PauseReason)
				env.SignalWorkflow(workflows.SignalResume, nil)
			}
		}, time.Duration(i+1)*time.Minute)
	}
	env.ExecuteWorkflow(task.CampaignWorkflow, workflows.CampaignInput{Name: "n"})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"no room to Survey", "no room to PlayRound", "no room to Record", "no room to Seal"}; !slices.Equal(reasons, want) {
		t.Errorf("it paused for %q, want %q", reasons, want)
	}
	if recorded.Failure != "it cannot go on" {
		t.Errorf("the cell ended because %q", recorded.Failure)
	}
}
