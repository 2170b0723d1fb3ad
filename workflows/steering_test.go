package workflows

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"
)

// A collaboration that the server has not begun yet holds nobody up: the others hear of a pause and
// of the resume after it, and it hears of both when it begins.
func TestSignalsWaitForNobody(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	var mu sync.Mutex
	var sent []string // in no order: the environment sends them at once
	saw := func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Sorted(slices.Values(sent))
	}
	env.OnSignalExternalWorkflow(mock.Anything, mock.Anything, mock.Anything, mock.Anything, mock.Anything).
		Return(func(_, id, _, signal string, _ any) error {
			mu.Lock()
			defer mu.Unlock()
			sent = append(sent, signal+" "+id)
			return nil
		})
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		late, begin := workflow.NewFuture(ctx)
		c := campaign{in: CampaignInput{Name: "c"}, order: []string{"late", "under way"},
			begun: map[string]workflow.Future{"late": late}}
		c.signalAll(ctx, SignalPause, Pause{Reason: "spent"})
		c.resumeAll(ctx)
		for i, signal := range c.unsettled {
			if i%2 == 1 { // of the second collaboration
				_ = signal.Get(ctx, nil)
			}
		}
		if want := []string{"pause campaign/c/under way", "resume campaign/c/under way"}; !slices.Equal(saw(), want) {
			t.Errorf("before it begins: %q", saw())
		}
		begin.SetValue(nil)
		c.settleRun(ctx)
		return nil
	})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if want := []string{"pause campaign/c/late", "pause campaign/c/under way", "resume campaign/c/late",
		"resume campaign/c/under way"}; !slices.Equal(saw(), want) {
		t.Errorf("in the end: %q", saw())
	}
}
