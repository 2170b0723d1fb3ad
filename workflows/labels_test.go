package workflows_test

import (
	"context"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"roundtable/activities/labels"
	"roundtable/activities/model"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// label starts the labelling of a campaign.
func (e *engine) label(campaign string, how recorded.Labelling, change func(*workflows.CampaignInput)) client.WorkflowRun {
	e.t.Helper()
	if err := recorded.WriteLabelling(context.Background(), e.store, campaign, how); err != nil {
		e.t.Fatal(err)
	}
	in := workflows.CampaignInput{Name: campaign, Labeller: how.ID()}
	if change != nil {
		change(&in)
	}
	return e.startAs(workflows.LabelsID(campaign, in.Labeller), in)
}

// labelDigests returns the digests of what a labeller committed, by collaboration.
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

func labelling(name string) recorded.Labelling {
	return recorded.Labelling{Labeller: plan.Choice{Name: name}, Words: labels.Words}
}

// Labels that are asked for in rounds are those that are made in batches, however many
// runs of the workflow it takes. Labelling again asks for nothing.
func TestLabels(t *testing.T) {
	t.Parallel()
	digests := map[bool]map[string]string{}
	rules := labelling(labels.Rules)
	for _, live := range []bool{false, true} {
		e := newEngine(t, live, nil)
		e.wait(e.start(e.plan(campaign("labelled", "majority", 5, 3, 2)), nil))
		calls := e.acts.Meter().Calls
		run := e.label("labelled", rules, func(in *workflows.CampaignInput) { in.Length, in.Limits.Collaborations = 2, 1 })
		if got := e.wait(run); got.Cells != 5 || got.Succeeded != 5 || got.Failed > 0 || got.Running > 0 {
			t.Errorf("live %t: %+v", live, got)
		}
		if made := e.acts.Meter().Calls - calls; made != 30 {
			t.Errorf("live %t: %d labels were asked for, want 30", live, made)
		}
		if live && !e.continued(run) { // in batches it may, where the machine is busy
			t.Error("five rounds of labels took one run of two")
		}
		calls = e.acts.Meter().Calls
		if again := e.wait(e.label("labelled", rules, nil)); again.Cells != 5 || again.Succeeded != 5 || e.acts.Meter().Calls != calls {
			t.Errorf("labelled again: %+v, and %d calls", again, e.acts.Meter().Calls-calls)
		}
		digests[live] = e.labelDigests("labelled", rules)
		e.stop()
	}
	if len(digests[true]) != 5 || !maps.Equal(digests[true], digests[false]) {
		t.Errorf("in rounds %v, in batches %v", digests[true], digests[false])
	}
}

// An error that the operator must fix pauses the labelling with its words, also if another
// one comes with it; one that concerns a single message fails its collaboration and no
// other. No stored label is asked for again.
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
				if refused.Load() { // by then the others are asked, too, and refused
					time.Sleep(300 * time.Millisecond)
				}
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
	how := labelling("test/labeller")
	refused.Store(true)
	broken.Store(true) // with another error before it
	run := e.label("goes-on", how, nil)
	e.until("the labelling pauses", func() bool { return e.statusOf(run.GetID()).Paused })
	if got := e.statusOf(run.GetID()); got.Failed > 0 || !strings.Contains(got.PauseReason, "invalid_api_key") {
		t.Errorf("refused: %+v", got)
	}
	refused.Store(false)
	e.signalTo(run.GetID(), workflows.SignalResume, nil)
	if got := e.wait(run); got.Cells != 3 || got.Succeeded != 2 || got.Failed != 1 || !strings.Contains(got.Failure, "context_length") {
		t.Errorf("one message fails: %+v", got)
	}
	broken.Store(false)
	if got := e.wait(e.label("goes-on", how, nil)); got.Succeeded != 3 || got.Failed > 0 || got.Failure != "" {
		t.Errorf("fixed: %+v", got)
	}
}

// The labels of a model with a limit a minute are taken from its queue.
func TestLabelsFromQueue(t *testing.T) {
	e := newEngine(t, true, nil)
	p := e.plan(campaign("queued-labels", "majority", 2, 3, 2))
	e.tune(p, plan.Limits{Models: map[string]plan.ModelLimits{"test/labeller": {RequestsPerMinute: 6000}}})
	e.wait(e.start(p, nil))
	e.workFor("test/labeller")
	run := e.label("queued-labels", labelling("test/labeller"), nil)
	if got := e.wait(run); got.Succeeded != 2 {
		t.Fatalf("%+v", got)
	}
	var queued int
	for _, a := range e.activities(run.GetID() + "/" + e.collaboration(p.Campaign, 0)) {
		if a.name == task.TakeTurn && a.queue == task.ModelQueue(e.queue, "test/labeller") && strings.HasPrefix(a.summary, "label of entry ") {
			queued++
		}
	}
	if queued != 6 {
		t.Errorf("%d labels were taken from the queue, want 6", queued)
	}
}
