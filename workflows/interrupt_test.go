package workflows_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"

	"roundtable/activities/model"
	"roundtable/infra/codec"
	"roundtable/workflows"
	"roundtable/workflows/plan"
)

// heartbeats are how long activities may be silent: an embedded server hears of the death
// of its own process otherwise.
var heartbeats = map[string]time.Duration{"embedded": 10 * time.Minute, "default": 0}

// actsWithin is how long a pause, a cancel or a new limit takes at most to reach a round
// under way; a second of it is for a busy machine.
const actsWithin = 3 * time.Second

// pending returns the activities of a collaboration that have not ended.
func (e *engine) pending(workflowID string) []*workflowpb.PendingActivityInfo {
	d, err := e.client.DescribeWorkflowExecution(context.Background(), workflowID, "")
	if err != nil {
		return nil // it has not begun
	}
	return d.GetPendingActivities()
}

// A round whose call the service wants to be made again in an hour is the server's to try
// again: it shows the attempt and the service's words, and a pause and a cancel end it at once.
// Its other calls are answered, or the account would take the service for down and wait, too.
func TestWaitingRoundIsSeenAndInterrupted(t *testing.T) {
	for name, heartbeat := range heartbeats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mended atomic.Bool
			e := newEngine(t, true, func(m model.Model) model.Model {
				return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
					if mended.Load() || r.Scene.Turn.Campaign != "waits-"+name || r.Scene.Turn.Entry > 0 {
						return m.Complete(ctx, r)
					}
					return model.Response{}, &model.Error{Class: model.Retry, Provider: "test", Status: 500, Message: "slow down", RetryAfter: time.Hour, Unbilled: true}
				})
			})
			defer e.stop()
			p := e.plan(campaign("waits-"+name, "majority", 1, 3, 2))
			with := func(in *workflows.CampaignInput) { in.Heartbeat = heartbeat }
			waits := func() bool {
				for _, a := range e.pending(e.collaborationID(p.Campaign, 0)) {
					why := (codec.Keys{}).FailureConverter().FailureToError(a.GetLastFailure())
					if a.State != enumspb.PENDING_ACTIVITY_STATE_SCHEDULED || a.Attempt < 2 || why == nil {
						continue
					}
					if !strings.Contains(why.Error(), "500") || !strings.Contains(why.Error(), "slow down") {
						continue // right after a resume it may not have heard of it yet
					}
					if next := time.Until(a.GetNextAttemptScheduleTime().AsTime()); next < 50*time.Minute || next > 70*time.Minute {
						t.Errorf("the next attempt is due in %s", next)
					}
					return true
				}
				return false
			}
			run := e.start(p, with)
			e.until("the round waits", waits)
			e.within(actsWithin, "the pause ends the waiting", func() { e.signal(p.Campaign.Name, workflows.SignalPause, workflows.Pause{Reason: "by hand"}) },
				func() bool { return !waits() })
			e.signal(p.Campaign.Name, workflows.SignalResume, nil)
			e.until("the round waits again", waits)
			e.within(actsWithin, "the cancelled campaign ends", func() { e.signal(p.Campaign.Name, workflows.SignalCancel, nil) },
				func() bool { return e.ended(run) })
			if got := e.wait(run); got.Stopped != 1 {
				t.Errorf("%+v", got)
			}
			mended.Store(true)
			e.runAgain(p.Campaign.Name)
			if got := e.wait(e.start(p, with)); got.Succeeded != 1 {
				t.Errorf("run again: %+v", got)
			}
		})
	}
}

// A call that a busy service turns away for an hour ends its phase, also if its siblings
// are not let through meanwhile: what the service says is seen.
func TestTurnedAwayRoundIsSeen(t *testing.T) {
	e := newEngine(t, true, func(model.Model) model.Model {
		return modelFunc(func(context.Context, model.Request) (model.Response, error) {
			return model.Response{}, &model.Error{Class: model.Retry, Provider: "test", Status: 429, Message: "slow down", RetryAfter: time.Hour, Unbilled: true}
		})
	})
	p := e.plan(campaign("turned-away", "majority", 1, 3, 2))
	e.tune(p, plan.Limits{Calls: 1})
	run := e.start(p, nil)
	e.until("its second attempt waits", func() bool {
		for _, a := range e.pending(e.collaborationID(p.Campaign, 0)) {
			why := (codec.Keys{}).FailureConverter().FailureToError(a.GetLastFailure())
			if a.Attempt == 2 && why != nil && strings.Contains(why.Error(), "429") && strings.Contains(why.Error(), "slow down") {
				return true
			}
		}
		return false
	})
	e.signal(p.Campaign.Name, workflows.SignalCancel, nil)
	if got := e.wait(run); got.Stopped != 1 {
		t.Errorf("%+v", got)
	}
}

// Of a round whose calls take their time, no call begins once its campaign is paused or
// cancelled; those under way come in. A new limit is followed.
func TestRoundsUnderWayAreSteered(t *testing.T) {
	for name, heartbeat := range heartbeats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var takes, last, begun atomic.Int64
			e := newEngine(t, true, func(m model.Model) model.Model {
				return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
					last.Store(time.Now().UnixNano())
					begun.Add(1)
					time.Sleep(time.Duration(takes.Load()))
					return m.Complete(ctx, r)
				})
			})
			defer e.stop()
			takes.Store(int64(400 * time.Millisecond))
			p := e.plan(campaign("steered-"+name, "majority", 4, 6, 1))
			e.tune(p, plan.Limits{Calls: 1}) // 24 agents would speak at once
			run := e.start(p, func(in *workflows.CampaignInput) { in.Heartbeat = heartbeat })
			underWay := func() int { return int(e.acts.Meter().UnderWay) }
			e.until("a call is answered and others wait", func() bool { return begun.Load() > 1 && e.acts.Waits().Of("calls at once (1)") > 15 })

			e.within(actsWithin, "the new limit is used", func() { e.tune(p, plan.Limits{Calls: 2}) }, func() bool { return underWay() == 2 })

			paused := time.Now()
			e.signal(p.Campaign.Name, workflows.SignalPause, workflows.Pause{Reason: "by hand"})
			time.Sleep(actsWithin)
			e.until("the calls have come in", func() bool { return underWay() == 0 })
			before := begun.Load()
			time.Sleep(time.Second)
			if after := time.Unix(0, last.Load()).Sub(paused); after > actsWithin || begun.Load() != before || before == 24 {
				t.Errorf("a call began %s after the pause; of 24 calls %d, then %d had begun", after, before, begun.Load())
			}
			if made := e.acts.Meter().Calls; made != before {
				t.Errorf("of %d calls that had begun %d came in", before, made)
			}
			t.Logf("the last of %d calls began %s after the pause", before, time.Unix(0, last.Load()).Sub(paused))

			e.within(actsWithin, "it goes on after the resume", func() { e.signal(p.Campaign.Name, workflows.SignalResume, nil) }, func() bool { return underWay() > 0 })
			cancelled := time.Now()
			e.within(actsWithin+time.Second, "the cancelled campaign ends", func() { e.signal(p.Campaign.Name, workflows.SignalCancel, nil) },
				func() bool { return e.ended(run) })
			if after := time.Unix(0, last.Load()).Sub(cancelled); after > actsWithin {
				t.Errorf("a call began %s after the cancel", after)
			}
			if got := e.wait(run); got.Stopped != 4 {
				t.Errorf("%+v", got)
			}
			takes.Store(0)
			e.runAgain(p.Campaign.Name)
			if got := e.wait(e.start(p, nil)); got.Succeeded != 4 {
				t.Errorf("run again: %+v", got)
			}
		})
	}
}
