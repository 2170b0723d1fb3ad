package activities_test

import (
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"

	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// A turn that waits for money that a call of another process has reserved does
// not hold up a worker that stops.
func TestStoppingWorkerDoesNotWaitForTheBudget(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("stopping", 3, 10, "replicates: 2", "generate: {max_tokens: 200}"))
	limit(t, s, p, plan.Limits{CostUSD: dollars(0.003)}) // one call may cost more than half of it
	asked, answer := make(chan struct{}), make(chan struct{})
	slow := &fake{answer: func(r model.Request) (model.Response, error) {
		close(asked)
		<-answer
		return response(polite(r)), nil
	}}
	ended := make(chan error, 1)
	other := newActivities(s, slow, noCache)
	go func() {
		_, err := do[transcript.Act](t, other, task.TakeTurn, task.Turn{Ref: ref(p, 0)})
		ended <- err
	}()
	<-asked
	stopping := make(chan struct{})
	waiting := newActivities(s, saying(polite), noCache)
	go func() {
		for waiting.Waits().Of(calls.WaitsBudget) == 0 {
			time.Sleep(time.Millisecond)
		}
		close(stopping)
	}()
	_, err := do[transcript.Act](t, waiting, task.TakeTurn, task.Turn{Ref: ref(p, 1)},
		func(env *testsuite.TestActivityEnvironment) { env.SetWorkerStopChannel(stopping) })
	if err == nil || !strings.Contains(err.Error(), "the worker is stopping") {
		t.Error(err)
	}
	close(answer)
	noError(t, <-ended)
}
