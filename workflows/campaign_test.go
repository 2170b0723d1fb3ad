package workflows_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/activities/model"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

func TestCampaignEnds(t *testing.T) {
	e := newEngine(t, false, nil)
	p := e.plan(campaign("ends", "majority, rated", 5, 3, 3))
	got := e.wait(e.start(p, nil))
	if got.Cells != 10 || got.Succeeded != 10 || got.Running != 0 {
		t.Errorf("got %+v, want 10 of 10 cells succeeded", got)
	}
	if n := len(e.markers("ends")); n != 10 {
		t.Errorf("%d collaborations are committed, want 10", n)
	}
	// A lost database costs nothing: the markers say that nothing is left.
	again := e.wait(e.start(p, nil))
	if again.Succeeded != 10 || again.Spent != got.Spent {
		t.Errorf("run again: %+v, before: %+v", again, got)
	}
}

// The same answers, asked one call an activity or played in batches, are the same rows.
func TestLiveAndInstantAgree(t *testing.T) {
	t.Parallel()
	text := campaign("agree", "plurality, ranked", 3, 3, 4)
	digests := map[bool]string{}
	for _, live := range []bool{false, true} {
		e := newEngine(t, live, nil)
		e.wait(e.start(e.plan(text), nil))
		e.stop()
		digests[live] = lake.Digest(e.markers("agree"))
	}
	if digests[true] != digests[false] {
		t.Errorf("live %s, in batches %s", digests[true], digests[false])
	}
}

// Cells whose models take no time are played through in batches; one that
// takes longer than a batch and one that fails end as any other.
func TestBatches(t *testing.T) {
	t.Parallel()
	e := newEngine(t, false, func(m model.Model) model.Model {
		return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
			if r.Scene.Replicate == 3 && r.Scene.Entry == 4 {
				return model.Response{}, &model.Error{Class: model.Fail, Provider: "test", Code: "context_length_exceeded", Message: "too long"}
			}
			return m.Complete(ctx, r)
		})
	})
	run := e.start(e.plan(campaign("batches", "plurality", 60, 2, 1)), nil)
	if got := e.wait(run); got.Succeeded != 59 || got.Failed != 1 || got.Running != 0 {
		t.Errorf("got %+v, want 59 of 60 cells succeeded", got)
	}
	batches, children := 0, 0
	for _, event := range e.history(run.GetID()).Events {
		if event.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName() == task.PlayThrough {
			batches++
		}
		if event.GetStartChildWorkflowExecutionInitiatedEventAttributes() != nil {
			children++
		}
	}
	if batches < 2 || batches > 20 || children != 1 {
		t.Errorf("%d batches and %d workflows; want few batches, and a workflow for the cell that fails", batches, children)
	}
	e.stop()
	e = newEngine(t, false, slow(10*time.Millisecond))
	if got := e.wait(e.start(e.plan(campaign("long", "plurality", 1, 3, 15)), nil)); got.Succeeded != 1 {
		t.Errorf("135 turns of 10 ms: %+v", got)
	}
}

// Steering reaches batches, too: what is paused, cancelled or extended between two
// of them is neither lost nor counted twice.
func TestSteerBatches(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	e := newEngine(t, false, slow(2*time.Millisecond))
	small := e.plan(campaign("steered", "plurality", 60, 3, 3))
	run := e.start(small, nil)
	e.until("a batch has ended", func() bool { return e.status("steered").Succeeded > 0 })
	e.signal("steered", workflows.SignalPause, workflows.Pause{Reason: "by hand"})
	e.until("no batch is under way", func() bool { return e.status("steered").Paused && e.status("steered").Running == 0 })
	held := e.status("steered")
	if held.Done() == 60 || held.Done() != len(e.markers("steered")) {
		t.Errorf("paused with %d ended cells, %d of them in the lake", held.Done(), len(e.markers("steered")))
	}
	e.signal("steered", workflows.SignalResume, nil)
	e.until("it goes on", func() bool { return e.status("steered").Running > 0 })
	big := e.plan(campaign("steered", "plurality, ranked", 70, 3, 3))
	e.signal("steered", workflows.SignalExtend, workflows.CampaignInput{Name: "steered", Revision: big.Campaign.Revision()})
	e.until("it is extended", func() bool { s := e.status("steered"); return s.Cells == 140 && s.Done() > held.Done() })
	e.signal("steered", workflows.SignalCancel, nil)
	got := e.wait(run)
	if got.Done() != 140 || got.Stopped == 0 || got.Failed > 0 || !got.Cancelled {
		t.Errorf("cancelled: %+v", got)
	}
	if n := len(e.markers("steered")); n != 140 {
		t.Errorf("%d cells are in the lake, want 140", n)
	}
}

func TestManyCellsContinueAsNew(t *testing.T) {
	e := newEngine(t, false, nil)
	run := e.start(e.plan(campaign("many", "plurality", 60, 2, 1)), func(in *workflows.CampaignInput) { in.Length = 7 })
	if got := e.wait(run); got.Succeeded != 60 {
		t.Errorf("got %+v, want 60 succeeded", got)
	}
	if !e.continued(run) {
		t.Error("the campaign never continued as new")
	}
}

func TestPauseAndResume(t *testing.T) {
	t.Parallel()
	e := newEngine(t, true, slow(10*time.Millisecond))
	run := e.start(e.plan(campaign("paused", "majority", 8, 3, 3)), func(in *workflows.CampaignInput) { in.Limits.Collaborations = 2 })
	e.until("a cell has ended", func() bool { return e.status("paused").Succeeded > 0 })
	e.signal("paused", workflows.SignalPause, workflows.Pause{Reason: "by hand"})
	e.until("it is paused", func() bool { return e.status("paused").Paused })
	e.until("no call is made any more", func() bool {
		before := e.acts.Meter().Calls
		time.Sleep(time.Second)
		return e.acts.Meter().Calls == before
	})
	if got := e.status("paused"); got.PauseReason != "by hand" || got.Done() == got.Cells {
		t.Errorf("paused: %+v", got)
	}
	e.signal("paused", workflows.SignalTune, plan.Limits{Collaborations: 8})
	e.signal("paused", workflows.SignalResume, nil)
	if got := e.wait(run); got.Succeeded != 8 {
		t.Errorf("after the pause: %+v", got)
	}
}

func TestCancelLeavesNothingBlank(t *testing.T) {
	t.Parallel()
	e := newEngine(t, true, slow(30*time.Millisecond))
	p := e.plan(campaign("cancelled", "majority", 12, 3, 5))
	run := e.start(p, func(in *workflows.CampaignInput) { in.Limits.Collaborations = 3 })
	e.until("a cell has ended", func() bool { return e.status("cancelled").Succeeded > 0 })
	e.signal("cancelled", workflows.SignalCancel, nil)
	got := e.wait(run)
	if got.Done() != 12 || got.Stopped == 0 || got.Succeeded == 0 || !got.Cancelled {
		t.Errorf("cancelled: %+v", got)
	}
	if n := len(e.markers("cancelled")); n != 12 {
		t.Errorf("%d cells are in the lake, want 12", n)
	}
	// Stopped cells get another generation, the others stay.
	e.runAgain("cancelled")
	again := e.wait(e.start(p, nil))
	if again.Succeeded != 12 {
		t.Errorf("after the retry: %+v", again)
	}
	all, err := lake.Commits(context.Background(), e.store, "cancelled")
	if err != nil || len(all) != 12+got.Stopped {
		t.Errorf("%d generations are in the lake, want %d: %v", len(all), 12+got.Stopped, err)
	}
}

func TestFailedCellsAreSeen(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	e := newEngine(t, true, func(m model.Model) model.Model {
		return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
			if broken.Load() && r.Scene.Replicate == 1 && r.Scene.Entry == 4 {
				return model.Response{}, &model.Error{Class: model.Fail, Provider: "test", Code: "context_length_exceeded", Message: "too long"}
			}
			return m.Complete(ctx, r)
		})
	})
	p := e.plan(campaign("failed", "majority", 3, 3, 2))
	if got := e.wait(e.start(p, nil)); got.Failed != 1 || got.Succeeded != 2 {
		t.Errorf("got %+v, want 1 failed and 2 succeeded", got)
	}
	rows, err := lake.ReadAll[record.Collaboration](context.Background(), e.store, e.markers("failed"))
	if err != nil {
		t.Fatal(err)
	}
	// The last agent of the round is asked or not: who has not been asked yet when
	// another has failed is not asked any more.
	for _, row := range rows {
		if row.Status == task.Failed && (row.Failure == nil || row.Turns != 4 && row.Turns != 5) {
			t.Errorf("the failed cell has %d turns and the failure %v, want one and the 4 or 5 turns that were answered", row.Turns, row.Failure)
		}
	}
	broken.Store(false)
	e.runAgain("failed")
	if got := e.wait(e.start(p, nil)); got.Succeeded != 3 {
		t.Errorf("after the retry: %+v", got)
	}
}

// A panic in a policy fails its collaboration and says so; tried again it would
// panic again, without end.
func TestPanicFailsItsCell(t *testing.T) {
	for name, live := range map[string]bool{"one-by-one": true, "at-once": false} {
		e := newEngine(t, live, func(m model.Model) model.Model {
			return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
				if r.Scene.Replicate == 1 && r.Scene.Entry == 4 {
					panic("no such good")
				}
				return m.Complete(ctx, r)
			})
		})
		if got := e.wait(e.start(e.plan(campaign(name, "majority", 3, 3, 2)), nil)); got.Failed != 1 || got.Succeeded != 2 {
			t.Errorf("%s: %+v, want 1 failed and 2 succeeded", name, got)
		}
		rows, err := lake.ReadAll[record.Collaboration](context.Background(), e.store, e.markers(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			if row.Status == task.Failed && (row.Turns < 4 || !strings.Contains(*row.Failure, "panic: no such good")) {
				t.Errorf("%s: the failed cell has %d turns and says %q", name, row.Turns, *row.Failure)
			}
		}
		e.stop()
	}
}

// An error that the operator must fix pauses the campaign, also if another one
// comes with it, and nothing is lost.
func TestPersonMustAct(t *testing.T) {
	var refused atomic.Bool
	refused.Store(true)
	e := newEngine(t, true, func(m model.Model) model.Model {
		return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
			if refused.Load() && r.Scene.Entry == 3 { // the first of three that speak at once
				return model.Response{}, &model.Error{Class: model.Fail, Provider: "test", Code: "context_length_exceeded", Unbilled: true}
			}
			if refused.Load() && r.Scene.Entry > 3 {
				return model.Response{}, &model.Error{Class: model.Pause, Provider: "test", Status: 401, Code: "invalid_api_key", Unbilled: true}
			}
			return m.Complete(ctx, r)
		})
	})
	run := e.start(e.plan(campaign("fixed", "majority", 4, 3, 2)), nil)
	e.until("it pauses by itself", func() bool { return e.status("fixed").Paused })
	if got := e.status("fixed"); got.Failed > 0 || !strings.Contains(got.PauseReason, "invalid_api_key") {
		t.Errorf("paused: %+v", got)
	}
	refused.Store(false)
	e.signal("fixed", workflows.SignalResume, nil)
	if got := e.wait(run); got.Succeeded != 4 {
		t.Errorf("after it was fixed: %+v", got)
	}
}

// Extending a campaign while it runs is the same as having run the big one.
func TestExtend(t *testing.T) {
	t.Parallel()
	e := newEngine(t, true, slow(10*time.Millisecond))
	small := e.plan(campaign("grown", "majority", 3, 3, 2))
	run := e.start(small, func(in *workflows.CampaignInput) { in.Limits.Collaborations = 2 })
	e.until("it has begun", func() bool { return e.status("grown").Running > 0 })
	big := e.plan(campaign("grown", "majority, ranked", 4, 3, 2))
	if diff := big.Campaign.Extends(small.Campaign); len(diff) > 0 {
		t.Fatalf("it is not an extension: %v", diff)
	}
	e.signal("grown", workflows.SignalExtend, workflows.CampaignInput{Name: "grown", Revision: big.Campaign.Revision()})
	if got := e.wait(run); got.Cells != 8 || got.Succeeded != 8 {
		t.Errorf("extended: %+v", got)
	}
	e.stop()
	whole := newEngine(t, false, nil)
	whole.wait(whole.start(whole.plan(campaign("grown", "majority, ranked", 4, 3, 2)), nil))
	if a, b := lake.Digest(e.markers("grown")), lake.Digest(whole.markers("grown")); a != b {
		t.Errorf("extended %s, run whole %s", a, b)
	}
}

// A campaign that is cancelled while its workflow goes on in a new run loses
// neither the signal nor a collaboration under way.
func TestCancelAcrossRuns(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	e := newEngine(t, true, slow(100*time.Millisecond))
	run := e.start(e.plan(campaign("across", "plurality", 20, 2, 4)), func(in *workflows.CampaignInput) { in.Limits.Collaborations, in.Length = 8, 5 })
	e.until("its later runs have begun", func() bool { return e.status("across").Succeeded > 2 })
	e.signal("across", workflows.SignalCancel, nil)
	got := e.wait(run)
	if got.Done() != 20 || got.Stopped == 0 || got.Failed > 0 {
		t.Errorf("cancelled: %+v", got)
	}
	if n := len(e.markers("across")); n != 20 {
		t.Errorf("%d cells are in the lake, want 20", n)
	}
}
