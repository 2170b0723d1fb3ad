package workflows

import (
	"cmp"

	"go.temporal.io/sdk/workflow"

	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// receiveSignals lets signals wake the loop. A cancelled workflow is a cancel signal too.
func (c *campaign) receiveSignals(ctx workflow.Context) {
	on := func(name string, handle func(workflow.ReceiveChannel)) {
		ch := workflow.GetSignalChannel(ctx, name)
		c.selector.AddReceive(ch, func(ch workflow.ReceiveChannel, _ bool) { handle(ch) })
	}
	on(SignalPause, func(ch workflow.ReceiveChannel) {
		var p Pause
		ch.Receive(ctx, &p)
		c.pauseAll(ctx, p)
	})
	on(SignalResume, func(ch workflow.ReceiveChannel) {
		ch.Receive(ctx, nil)
		c.resumeAll(ctx)
	})
	on(SignalCancel, func(ch workflow.ReceiveChannel) {
		ch.Receive(ctx, nil)
		c.stopAll(ctx)
	})
	on(SignalTune, func(ch workflow.ReceiveChannel) { ch.Receive(ctx, &c.in.Limits) })
	on(SignalExtend, func(ch workflow.ReceiveChannel) {
		var next CampaignInput
		ch.Receive(ctx, &next)
		c.extendPlan(ctx, next)
	})
	cancelled := workflow.NewBufferedChannel(ctx, 1)
	workflow.Go(ctx, func(ctx workflow.Context) { // a closed Done channel would wake the loop for ever
		ctx.Done().Receive(ctx, nil)
		cancelled.SendAsync(nil)
	})
	c.selector.AddReceive(cancelled, func(ch workflow.ReceiveChannel, _ bool) {
		ch.Receive(ctx, nil)
		c.stopAll(ctx)
	})
}

// holdCalls tells those who make calls, through the lake, when these are to be held back:
// while the campaign is paused, and while a cancelled one ends. One word at a time, so the
// last one counts.
func (c *campaign) holdCalls(ctx workflow.Context) {
	lasting, _ := workflow.NewDisconnectedContext(ctx)
	for {
		_ = workflow.Await(lasting, func() bool { return c.reasonToHold() != c.in.Held })
		in, summary := task.Holding{Campaign: c.in.Name, Reason: c.reasonToHold()}, "calls may begin again"
		if in.Reason != "" {
			summary = "no call begins: " + in.Reason
		}
		c.holding = true
		// it succeeds once the lake can be written
		_ = executeActivity(lasting, task.Hold, summary, in).Get(lasting, nil)
		c.in.Held, c.holding = in.Reason, false
	}
}

// reasonToHold returns why no call is to begin; "" if calls may. Labels are never held
// back: their campaign goes on without them. A campaign at its end makes none, and leaves
// no word behind that would hold back another workflow's.
func (c *campaign) reasonToHold() string {
	switch {
	case c.in.Labeller != "" || c.isAtEnd():
		return ""
	case c.in.Ended && len(c.order)+c.batches > 0: // also if it is paused: its batches are cancelled
		return task.Cancelled
	case c.in.Status.Paused:
		return cmp.Or(c.in.Status.PauseReason, "paused")
	}
	return ""
}

// pauseAll holds every collaboration under way.
func (c *campaign) pauseAll(ctx workflow.Context, p Pause) {
	if p.From != "" && p.Epoch < c.in.Epoch { // it had not heard of the resume
		c.unsettled = append(c.unsettled, workflow.SignalExternalWorkflow(ctx, p.From, "", SignalResume, c.in.Epoch))
		return
	}
	if !c.in.Status.Paused {
		c.in.Status.Paused, c.in.Status.PauseReason = true, p.Reason
		p.Epoch = c.in.Epoch
		c.signalAll(ctx, SignalPause, p)
		c.notify(ctx, plan.NotifyPause, p.Reason)
	}
}

// resumeAll releases them.
func (c *campaign) resumeAll(ctx workflow.Context) {
	c.in.Epoch++
	c.in.Status.Paused, c.in.Status.PauseReason = false, ""
	c.signalAll(ctx, SignalResume, c.in.Epoch)
}

// signalAll signals every collaboration under way. A signal cannot reach one that has not begun: it is sent when it
// has, and what comes next is not kept waiting, such as the resume that follows a pause.
func (c *campaign) signalAll(ctx workflow.Context, signal string, arg any) {
	for _, id := range c.order {
		send := func(ctx workflow.Context) workflow.Future {
			return workflow.SignalExternalWorkflow(ctx, c.childID(id), "", signal, arg)
		}
		begun := c.begun[id]
		if begun == nil || begun.IsReady() {
			c.unsettled = append(c.unsettled, send(ctx))
			continue
		}
		sent, settle := workflow.NewFuture(ctx)
		c.unsettled = append(c.unsettled, sent)
		workflow.Go(ctx, func(ctx workflow.Context) {
			_ = begun.Get(ctx, nil)
			settle.Chain(send(ctx))
		})
	}
}

func (c *campaign) stopAll(ctx workflow.Context) {
	if c.in.Ended {
		return
	}
	c.in.Ended = true
	lasting, _ := workflow.NewDisconnectedContext(ctx)
	for _, id := range c.order {
		if begun := c.begun[id]; begun != nil {
			_ = begun.Get(lasting, nil) // what is cancelled before it has begun leaves no rows
		} else { // carried over: not this run's child
			c.cancelOther(ctx, id)
		}
	}
	c.cancel()
}

// cancelOther cancels a collaboration that is not this run's child.
func (c *campaign) cancelOther(ctx workflow.Context, id string) {
	lasting, _ := workflow.NewDisconnectedContext(ctx)
	c.unsettled = append(c.unsettled, workflow.RequestCancelExternalWorkflow(lasting, c.childID(id), ""))
}

// extendPlan goes on with a larger plan: cells that have ended are passed over again.
func (c *campaign) extendPlan(ctx workflow.Context, next CampaignInput) {
	spent := Status{Paused: c.in.Status.Paused, PauseReason: c.in.Status.PauseReason}
	next.Running, next.Status, next.Epoch, next.Length = c.in.Running, spent, c.in.Epoch, c.in.Length
	next.Heartbeat, next.Held = c.in.Heartbeat, c.in.Held
	lasting, _ := workflow.NewDisconnectedContext(ctx)
	_ = workflow.Await(lasting, func() bool { return c.batches == 0 }) // what they leave is in the larger plan
	// an operator who extends a cancelled campaign wants it to go on
	if c.in.Ended {
		c.children, c.cancel = workflow.WithCancel(ctx)
	}
	c.in = next
	c.surveyed, c.asked, c.sweeps = false, false, 0
}
