package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// notify has word sent of what has happened, once by this workflow however often its
// processes are killed. Only the campaign's end waits for it, and a new run.
func (c *campaign) notify(ctx workflow.Context, event, reason string) {
	if !c.in.Notify {
		return
	}
	s := c.in.Status
	in := task.Notice{
		Campaign: c.in.Name, Revision: c.in.Revision, Event: event, Reason: reason, At: workflow.Now(ctx).UTC(),
		Cells: s.Cells, Succeeded: s.Succeeded, Failed: s.Failed, Stopped: s.Stopped,
	}
	if event == plan.NotifyPause {
		in.Key = fmt.Sprintf("%s/%d", workflow.GetInfo(ctx).FirstRunID, c.in.Epoch)
	}
	lasting, _ := workflow.NewDisconnectedContext(ctx)
	sent := executeActivity(lasting, task.Notify, "word of the "+event, in)
	c.notifying++
	c.selector.AddFuture(sent, func(workflow.Future) { c.notifying-- }) // what could not be sent the activity has said
}

// notifyEnd has word sent of the end, waits until nothing is being sent and calls are no
// longer held back, and reports whether it is still the end: signals that come meanwhile
// are received.
func (c *campaign) notifyEnd(ctx workflow.Context) bool {
	if c.in.Notify {
		c.notify(ctx, plan.NotifyEnd, "")
	}
	lasting, _ := workflow.NewDisconnectedContext(ctx)
	_ = workflow.Await(lasting, func() bool { return !c.holding && c.in.Held == c.reasonToHold() })
	for c.notifying > 0 || c.selector.HasPending() {
		c.selector.Select(ctx)
	}
	return c.surveyed
}
