package workflows_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"roundtable/workflows"
	"roundtable/workflows/task"
)

// asking simulates a question of a plan of 10 cells that needs the first three, then the
// next three, and no other.
type asking struct {
	lost           string // a cell that leaves nothing in the lake
	cancelAfter    time.Duration
	ended          []string
	asked, stopped int
	surveyed       int
	starts         map[string]int
}

func (a *asking) ask(_ context.Context, in task.Asking) (task.Asked, error) {
	a.asked++
	out := task.Asked{Total: 10}
	for n := range 6 {
		id := fmt.Sprintf("c%d.0", n)
		if n == 3 && len(out.Cells) > 0 {
			return out, nil
		}
		if !slices.Contains(a.ended, id) && !slices.Contains(in.Lost, id) {
			out.Cells = append(out.Cells, task.Outstanding{ID: id})
		}
	}
	out.Done = len(out.Cells) == 0
	return out, nil
}

func (a *asking) run(t *testing.T) workflows.Status {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(slog.New(slog.DiscardHandler))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a busy machine is not a deadlock
	a.starts = map[string]int{}
	env.RegisterWorkflowWithOptions(workflows.Campaign, workflow.RegisterOptions{Name: task.CampaignWorkflow})
	env.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ workflows.CollaborationInput) (task.Result, error) {
		id := workflow.GetInfo(ctx).WorkflowExecution.ID
		id = id[strings.LastIndex(id, "/")+1:]
		a.starts[id]++
		if err := workflow.Sleep(ctx, time.Hour); err != nil {
			return task.Result{Status: task.Stopped}, nil
		}
		if id != a.lost {
			a.ended = append(a.ended, id)
		}
		return task.Result{Status: task.Succeeded}, nil
	}, workflow.RegisterOptions{Name: task.CollaborationWorkflow})
	simulate(env, task.Ask, a.ask)
	simulate(env, task.StopAnswered, func(context.Context, task.Asking) (task.Asked, error) {
		a.stopped++
		return task.Asked{Done: true, Total: 10, Stopped: 4}, nil
	})
	simulate(env, task.Survey, func(context.Context, task.Page) (task.Surveyed, error) {
		a.surveyed++
		return task.Surveyed{Cells: []task.Outstanding{{ID: "c9.0"}}, Next: 10, Total: 10}, nil
	})
	simulate(env, task.Hold, func(context.Context, task.Holding) (struct{}, error) { return struct{}{}, nil })
	simulate(env, task.StopUnstarted, func(context.Context, []task.Ref) (struct{}, error) { return struct{}{}, nil })
	simulate(env, task.Seal, func(context.Context, task.Sealing) (task.Surveyed, error) {
		return task.Surveyed{Total: 10, Sums: task.Sums{
			Ended: []task.Result{{Status: task.Succeeded}, {Status: task.Stopped, Failure: task.Answered}}, Count: []int{6, 4},
		}}, nil
	})
	if a.cancelAfter > 0 {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalCancel, nil) }, a.cancelAfter)
	}
	env.ExecuteWorkflow(task.CampaignWorkflow, workflows.CampaignInput{Name: "c", Revision: "r", Question: true})
	var s workflows.Status
	if err := env.GetWorkflowResult(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// A campaign with a question runs what it needs, asks as seldom as it can, and stops the rest.
func TestQuestionEndsCampaign(t *testing.T) {
	a := asking{}
	s := a.run(t)
	if s.Succeeded != 6 || s.Stopped != 4 || s.Answered != 4 || s.Cells != 10 || !s.Question {
		t.Errorf("%+v", s)
	}
	if len(a.ended) != 6 || a.stopped != 1 || a.surveyed != 0 {
		t.Errorf("%d cells ran, the rest was stopped %d times, the plan gone through %d times", len(a.ended), a.stopped, a.surveyed)
	}
	if a.asked > 7 { // at the beginning, and after each of the cells at most
		t.Errorf("it asked %d times", a.asked)
	}
}

// A cell that leaves nothing is tried three times and then counts as failed.
func TestQuestionGoesOnWithoutLostCell(t *testing.T) {
	a := asking{lost: "c1.0"}
	a.run(t)
	if a.starts["c1.0"] != 3 || len(a.ended) != 5 || a.stopped != 1 {
		t.Errorf("c1 was started %d times, %d others ended", a.starts["c1.0"], len(a.ended))
	}
}

// A cancelled campaign stops every cell of the plan, whatever its question needs.
func TestCancelledQuestion(t *testing.T) {
	a := asking{cancelAfter: 90 * time.Minute}
	if s := a.run(t); !s.Cancelled {
		t.Errorf("%+v", s)
	}
	if a.surveyed == 0 || a.stopped != 0 || len(a.ended) != 3 {
		t.Errorf("the plan was gone through %d times, %d cells ended, and the question was answered %d times", a.surveyed, len(a.ended), a.stopped)
	}
}
