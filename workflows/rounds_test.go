package workflows_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/infra/codec"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// The history of a collaboration is its rounds, each with a line that a person understands.
func TestHistoryIsRounds(t *testing.T) {
	e := newEngine(t, true, nil)
	p := e.plan(campaign("rounds", "majority", 1, 3, 4))
	if got := e.wait(e.start(p, nil)); got.Succeeded != 1 || got.Spent.Calls != 36 {
		t.Fatalf("%+v", got)
	}
	var got []string
	for _, a := range e.activities(e.collaborationID(p.Campaign, 0)) {
		got = append(got, a.name+": "+a.summary)
	}
	want := []string{
		"PlayRound: opens the collaboration and plays its round",
		"PlayRound: round 2 of 4: message, proposal, vote (9 calls)",
		"PlayRound: round 3 of 4: message, proposal, vote (9 calls)",
		"PlayRound: round 4 of 4: message, proposal, vote (9 calls)",
		"Record: commits the rows: succeeded",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the history has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What the calls of a round wait for stands in its heartbeat.
func TestHeartbeatSaysWhatIsAwaited(t *testing.T) {
	release := make(chan struct{})
	answer := sync.OnceFunc(func() { close(release) })
	e := newEngine(t, true, func(m model.Model) model.Model {
		return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
			if r.Scene.Turn.Entry == 3 || r.Scene.Turn.Entry == 5 {
				<-release
			}
			return m.Complete(ctx, r)
		})
	})
	defer answer()
	p := e.plan(campaign("heartbeat", "majority", 1, 9, 1))
	run := e.start(p, func(in *workflows.CampaignInput) { in.Heartbeat = 3 * time.Second })
	text := ""
	defer func() { t.Logf("it says %q", text) }()
	e.until("the heartbeat says what is awaited", func() bool {
		for _, a := range e.pending(e.collaborationID(p.Campaign, 0)) {
			var waits calls.Waits
			if (codec.Keys{}).DataConverter().FromPayloads(a.GetHeartbeatDetails(), &text, &waits) == nil && text == "7 of 9 calls answered; 2 waiting for answer" {
				return true
			}
		}
		return false
	})
	answer()
	if got := e.wait(run); got.Succeeded != 1 {
		t.Errorf("%+v", got)
	}
}

// A call that fails ends its phase once its siblings are in; the next attempt asks for
// nothing that is stored.
func TestFailedRoundKeepsAnswers(t *testing.T) {
	var failed atomic.Bool
	e := newEngine(t, true, func(m model.Model) model.Model {
		return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
			if r.Scene.Turn.Entry == 4 && failed.CompareAndSwap(false, true) {
				return model.Response{}, &model.Error{Class: model.Retry, Provider: "test", Status: 500, Unbilled: true}
			}
			return m.Complete(ctx, r)
		})
	})
	p := e.plan(campaign("failed-once", "majority", 1, 3, 2))
	if got := e.wait(e.start(p, nil)); got.Succeeded != 1 || got.Spent.Calls != 18 || !failed.Load() {
		t.Errorf("%+v, a call failed: %t", got, failed.Load())
	}
	attempts := []int32{}
	for _, event := range e.history(e.collaborationID(p.Campaign, 0)).Events {
		if a := event.GetActivityTaskStartedEventAttributes(); a != nil {
			attempts = append(attempts, a.Attempt)
		}
	}
	if !slices.Equal(attempts, []int32{2, 1, 1}) {
		t.Errorf("the rounds and the rows took %v attempts", attempts)
	}
}

// The turns of a model with a limit a minute are taken one by one from its queue, also the
// judge's.
func TestTurnsFromQueue(t *testing.T) {
	e := newEngine(t, true, nil)
	e.workFor("scripted/test")
	e.workFor("scripted/judge")
	p := e.plan(judged("queued"))
	e.tune(p, plan.Limits{Models: map[string]plan.ModelLimits{"scripted/test": {RequestsPerMinute: 6000}, "scripted/judge": {RequestsPerMinute: 6000}}})
	if got := e.wait(e.start(p, nil)); got.Succeeded != 1 {
		t.Fatalf("%+v", got)
	}
	var got, want []string
	for _, a := range e.activities(e.collaborationID(p.Campaign, 0)) {
		got = append(got, fmt.Sprintf("%s@%s: %s", a.name, a.queue, a.summary))
	}
	want = append(want, "PlayRound@"+e.queue+": opens the collaboration and plays its round")
	for i, phase := range []string{"answer", "debate"} {
		for range p.Agents[0] {
			want = append(want, fmt.Sprintf("TakeTurn@%s: round %d: %s", task.ModelQueue(e.queue, "scripted/test"), i+1, phase))
		}
	}
	want = append(want, "TakeTurn@"+task.ModelQueue(e.queue, "scripted/judge")+": the judge scores the final decision", "Record@"+e.queue+": commits the rows: succeeded")
	if !slices.Equal(got, want) {
		t.Errorf("the history has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A judge scores the final decision in one more round, which is tried again as any other.
func TestJudgeIsARound(t *testing.T) {
	var failed atomic.Bool
	e := newEngine(t, true, func(m model.Model) model.Model {
		return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
			if r.Scene == nil && failed.CompareAndSwap(false, true) {
				return model.Response{}, &model.Error{Class: model.Retry, Provider: "test", Status: 500, Unbilled: true}
			}
			return m.Complete(ctx, r)
		})
	})
	p := e.plan(judged("judged"))
	if got := e.wait(e.start(p, nil)); got.Succeeded != 1 || !failed.Load() {
		t.Fatalf("%+v, the judge failed: %t", got, failed.Load())
	}
	all := e.activities(e.collaborationID(p.Campaign, 0))
	judge := len(all) - 2
	if all[judge].name != task.PlayRound || all[judge].summary != "the judge scores the final decision" {
		t.Errorf("before its rows come %+v", all[judge])
	}
	rows, err := lake.ReadAll[record.Collaboration](context.Background(), e.store, e.markers("judged"))
	if err != nil || len(rows) != 1 || rows[0].Score == nil {
		t.Errorf("the rows are %+v: %v", rows, err)
	}
}

// A pause ends the judge's round as any other.
func TestJudgeIsInterrupted(t *testing.T) {
	var mended atomic.Bool
	e := newEngine(t, true, func(m model.Model) model.Model {
		return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
			if r.Scene != nil || mended.Load() {
				return m.Complete(ctx, r)
			}
			return model.Response{}, &model.Error{Class: model.Retry, Provider: "test", Status: 500, Message: "slow down", RetryAfter: time.Hour, Unbilled: true}
		})
	})
	p := e.plan(judged("judge-paused"))
	run := e.start(p, nil)
	waiting := func() bool {
		for _, a := range e.pending(e.collaborationID(p.Campaign, 0)) {
			if a.Attempt > 1 {
				return true
			}
		}
		return false
	}
	e.until("the judge's round waits", waiting)
	e.within(actsWithin, "the pause ends the waiting", func() { e.signal("judge-paused", workflows.SignalPause, workflows.Pause{Reason: "by hand"}) },
		func() bool { return len(e.pending(e.collaborationID(p.Campaign, 0))) == 0 })
	mended.Store(true)
	e.signal("judge-paused", workflows.SignalResume, nil)
	if got := e.wait(run); got.Succeeded != 1 {
		t.Errorf("%+v", got)
	}
}
