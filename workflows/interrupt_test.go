package workflows_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/workflows"
)

// hopeless is a service that wants every call made again in an hour, until it is mended.
func hopeless(mended *atomic.Bool) func(model.Model) model.Model {
	return func(m model.Model) model.Model {
		return modelFunc(func(ctx context.Context, r model.Request) (model.Response, error) {
			if mended.Load() {
				return m.Complete(ctx, r)
			}
			return model.Response{}, &model.Error{Class: model.Retry, Provider: "test", Status: 500, RetryAfter: time.Hour, Unbilled: true}
		})
	}
}

// A turn that waits for an hour hears of a pause and of a cancel at once, with an
// embedded server and on a cluster.
func TestWaitingTurnsAreInterrupted(t *testing.T) {
	for name, embedded := range map[string]bool{"embedded": true, "cluster": false} {
		t.Run(name, func(t *testing.T) {
			var mended atomic.Bool
			e := newEngine(t, true, hopeless(&mended))
			defer e.stop()
			waiting := func() (n int) {
				for what, turns := range e.acts.Waits() {
					if strings.HasPrefix(what, calls.TriesAgain) {
						n += turns
					}
				}
				return n
			}
			all := func() bool { return waiting() == 2*3 }
			run := e.start(e.plan(campaign("interrupted-"+name, "majority", 2, 3, 2)), func(in *workflows.CampaignInput) { in.Embedded = embedded })
			e.until("all turns wait", all)
			e.signal("interrupted-"+name, workflows.SignalPause, workflows.Pause{Reason: "by hand"})
			e.until("none waits", func() bool { return waiting() == 0 })
			e.signal("interrupted-"+name, workflows.SignalResume, nil)
			e.until("all turns wait again", all)
			e.signal("interrupted-"+name, workflows.SignalCancel, nil)
			if got := e.wait(run); got.Stopped != 2 {
				t.Errorf("%+v", got)
			}
			mended.Store(true)
			e.runAgain("interrupted-" + name)
			again := e.start(e.plan(campaign("interrupted-"+name, "majority", 2, 3, 2)), func(in *workflows.CampaignInput) { in.Embedded = embedded })
			if got := e.wait(again); got.Succeeded != 2 {
				t.Errorf("run again: %+v", got)
			}
		})
	}
}
