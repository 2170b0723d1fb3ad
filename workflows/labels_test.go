package workflows_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"roundtable/activities/label"
	"roundtable/activities/model"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// label starts the labelling of a campaign.
func (e *engine) label(how recorded.Labelling, in workflows.LabelsInput) client.WorkflowRun {
	e.t.Helper()
	in.Labeller = how.ID()
	if err := recorded.WriteLabelling(context.Background(), e.store, in.Campaign, how); err != nil {
		e.t.Fatal(err)
	}
	run, err := e.client.ExecuteWorkflow(context.Background(), client.StartWorkflowOptions{
		ID: workflows.LabelsID(in.Campaign, in.Labeller), TaskQueue: task.Queue,
	}, task.LabelsWorkflow, in)
	if err != nil {
		e.t.Fatal(err)
	}
	return run
}

// labelled waits for the end of a labelling.
func (e *engine) labelled(run client.WorkflowRun) (status workflows.LabelsStatus, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err = run.Get(ctx, &status)
	return status, err
}

// labelDigests are those of what a labeller committed, by collaboration.
func (e *engine) labelDigests(name string, how recorded.Labelling) map[string]string {
	e.t.Helper()
	markers, err := lake.LabelMarkers(context.Background(), e.store, name, how.ID())
	if err != nil {
		e.t.Fatal(err)
	}
	digests := map[string]string{}
	for _, m := range markers {
		digests[m.Collaboration] = m.Digest
	}
	return digests
}

func rules(name string) recorded.Labelling {
	return recorded.Labelling{Labeller: plan.Choice{Name: name}, Words: label.Words}
}

// Labels that are asked for one by one are those that are made in batches,
// however many runs of the workflow it takes.
func TestLabels(t *testing.T) {
	digests := map[bool]map[string]string{}
	for _, live := range []bool{false, true} {
		e := newEngine(t, live, nil)
		e.wait(e.start(e.plan(campaign("labelled", "majority", 5, 3, 2)), nil))
		run := e.label(rules(label.Rules), workflows.LabelsInput{Campaign: "labelled", Messages: 7, Window: 1})
		got, err := e.labelled(run)
		if err != nil || got.Collaborations != 5 || got.Labelled != 5 || got.Messages != 30 || got.Failed+got.Invalid > 0 {
			t.Errorf("live %t: %+v, error %v", live, got, err)
		}
		if d, err := e.client.DescribeWorkflowExecution(context.Background(), run.GetID(), ""); err != nil || d.WorkflowExecutionInfo.FirstRunId == d.WorkflowExecutionInfo.Execution.RunId {
			t.Errorf("it never continued as new: %v", err)
		}
		again, err := e.labelled(e.label(rules(label.Rules), workflows.LabelsInput{Campaign: "labelled"}))
		if err != nil || again.Labelled != 5 || again.Messages != 0 {
			t.Errorf("labelled again: %+v, error %v", again, err)
		}
		digests[live] = e.labelDigests("labelled", rules(label.Rules))
		e.stop()
	}
	if len(digests[true]) != 5 || !maps.Equal(digests[true], digests[false]) {
		t.Errorf("one by one %v, in batches %v", digests[true], digests[false])
	}
}

// An error that the operator must fix ends the labelling with its words; one that
// concerns a single message fails its collaboration and no other. Started
// again, it goes on, and no stored label is asked for again.
func TestLabelsGoOn(t *testing.T) {
	var refused, broken atomic.Bool
	var asked sync.Map
	e := newEngine(t, true, func(m model.Model) model.Model {
		return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
			if r.Name != "acts" { // an agent
				return m.Complete(ctx, r)
			}
			switch first := strings.Contains(r.IdempotencyKey, ".0/0/"); { // of a talk
			case broken.Load() && first && (refused.Load() || strings.Contains(r.IdempotencyKey, "-r1.0/")):
				return model.Response{}, &model.Error{Class: model.Fail, Provider: "test", Code: "context_length_exceeded", Unbilled: true}
			case refused.Load():
				return model.Response{}, &model.Error{Class: model.Pause, Provider: "test", Status: 401, Code: "invalid_api_key", Unbilled: true}
			}
			if _, twice := asked.LoadOrStore(r.IdempotencyKey, true); twice {
				t.Errorf("%s is asked twice", r.IdempotencyKey)
			}
			return m.Complete(ctx, r)
		})
	})
	e.wait(e.start(e.plan(campaign("goes-on", "majority", 3, 3, 2)), nil))
	in := workflows.LabelsInput{Campaign: "goes-on"}
	refused.Store(true)
	broken.Store(true) // with another error before it
	var app *temporal.ApplicationError
	if _, err := e.labelled(e.label(rules("test/labeller"), in)); !errors.As(err, &app) || app.Type() != task.ErrPause || !strings.Contains(app.Message(), "invalid_api_key") {
		t.Errorf("refused: %v", err)
	}
	refused.Store(false)
	if got, err := e.labelled(e.label(rules("test/labeller"), in)); err != nil || got.Labelled != 2 || got.Failed != 1 || !strings.Contains(got.Failure, "context_length") {
		t.Errorf("one message fails: %+v, error %v", got, err)
	}
	broken.Store(false)
	if got, err := e.labelled(e.label(rules("test/labeller"), in)); err != nil || got.Labelled != 3 || got.Messages != 6 {
		t.Errorf("fixed: %+v, error %v", got, err)
	}
}
