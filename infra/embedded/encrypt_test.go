package embedded_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"roundtable/infra"
	"roundtable/infra/codec"
)

const (
	keyOne  = "k1:101112131415161718191a1b1c1d1e1f101112131415161718191a1b1c1d1e1f"
	keyTwo  = "k2:202122232425262728292a2b2c2d2e2f202122232425262728292a2b2c2d2e2f"
	missing = `encrypted with key "k1", which ROUNDTABLE_CODEC_KEY does not hold`
)

// Texts that a history holds; each is searched for in the database.
var canaries = []string{"canary-input", "canary-activity", "canary-result", "canary-failure", "canary-cause", "canary-detail"}

// confide gets, returns and fails with a canary each.
func confide(ctx workflow.Context, in string) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	})
	var heard string
	if err := workflow.ExecuteActivity(ctx, "hear", in).Get(ctx, &heard); err != nil {
		return "", err
	}
	if err := workflow.ExecuteActivity(ctx, "fail").Get(ctx, nil); err == nil || !strings.Contains(err.Error(), "canary-cause") {
		return "", temporal.NewApplicationError("the activity's failure did not come through", "Lost")
	}
	return heard + " canary-result", nil
}

func confidant(t *testing.T, c client.Client) worker.Worker {
	t.Helper()
	w := worker.New(c, "main", infra.WorkerOptions())
	w.RegisterWorkflow(confide)
	w.RegisterActivityWithOptions(func(_ context.Context, in string) (string, error) { return in + " canary-activity", nil },
		activity.RegisterOptions{Name: "hear"})
	w.RegisterActivityWithOptions(func(context.Context) error {
		cause := temporal.NewApplicationError("canary-cause", "Cause")
		return temporal.NewApplicationErrorWithCause("canary-failure", "Failure", cause, "canary-detail")
	}, activity.RegisterOptions{Name: "fail"})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	return w
}

func beginConfiding(t *testing.T, c client.Client) client.WorkflowRun {
	t.Helper()
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "confide", TaskQueue: "main", WorkflowTaskTimeout: time.Second}, confide, "canary-input")
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestDatabaseHoldsNoTexts(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		found      bool
	}{{"without a key", "", true}, {"with a key", keyOne, false}} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(codec.KeyEnv, c.keys)
			dir := t.TempDir()
			s, cl := start(t, dir)
			w := confidant(t, cl)
			var got string
			if err := beginConfiding(t, cl).Get(t.Context(), &got); err != nil || got != "canary-input canary-activity canary-result" {
				t.Fatalf("%q, %v", got, err)
			}
			w.Stop()
			cl.Close()
			if err := s.Stop(); err != nil {
				t.Fatal(err)
			}
			text := everything(t, dir)
			for _, canary := range canaries {
				if bytes.Contains(text, []byte(canary)) != c.found {
					t.Errorf("%q is in the state folder: %t, want %t", canary, !c.found, c.found)
				}
			}
			if !bytes.Contains(text, []byte("confide")) {
				t.Error("nothing of the workflow is in the state folder: this test looks in the wrong place")
			}
		})
	}
}

// everything is all files of a folder, one after the other.
func everything(t *testing.T, dir string) (all []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text...)
	}
	return all
}

// TestWrongKeyLosesNothing: a worker without the key does not end a workflow that
// it cannot read; one with the key does, and also after the key was replaced.
func TestWrongKeyLosesNothing(t *testing.T) {
	t.Setenv(codec.KeyEnv, keyOne)
	s, with := start(t, t.TempDir())
	run := beginConfiding(t, with)

	t.Setenv(codec.KeyEnv, "")
	without, err := infra.Dial(t.Context(), s.Target())
	if err != nil {
		t.Fatal(err)
	}
	defer without.Close()
	w := confidant(t, without)
	says := failedTask(t, with)
	w.Stop()
	if !strings.Contains(says, missing) {
		t.Errorf("the workflow's task failed with %q, want %q", says, missing)
	}

	t.Setenv(codec.KeyEnv, keyTwo+","+keyOne)
	rotated, err := infra.Dial(t.Context(), s.Target())
	if err != nil {
		t.Fatal(err)
	}
	defer rotated.Close()
	w = confidant(t, rotated)
	defer w.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var got string
	if err := rotated.GetWorkflow(ctx, run.GetID(), "").Get(ctx, &got); err != nil || got != "canary-input canary-activity canary-result" {
		t.Errorf("with old and new key: %q, %v", got, err)
	}
	err = with.GetWorkflow(ctx, run.GetID(), "").Get(ctx, &got)
	if err == nil || !strings.Contains(err.Error(), `encrypted with key "k2"`) {
		t.Errorf("the result, read with the old key alone: %v", err)
	}
}

// failedTask waits for the workflow's first failed task and says why it failed.
func failedTask(t *testing.T, c client.Client) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	events := c.GetWorkflowHistory(ctx, "confide", "", true, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		switch e.EventType {
		case enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED:
			return codec.Keys{}.FailureConverter().FailureToError(e.GetWorkflowTaskFailedEventAttributes().GetFailure()).Error()
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED, enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED:
			t.Fatal("the workflow was ended by a worker that cannot read it")
		}
	}
	t.Fatal("the history ended")
	return ""
}
