package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// What is here replays histories of before PlayOn: what is known was an activity of
// its own, and before Play each turn.

func (c *collaboration) recall(ctx workflow.Context) error {
	var known task.Recalled
	if err := c.executeOrPause(ctx, task.Recall, c.ref, &known); err != nil {
		return err
	}
	return c.learn(known)
}

// takeSteps makes the pending steps: at once as one activity each; what the
// environment gives as one; or, if answers take no time, as many rounds as an activity likes.
func (c *collaboration) takeSteps(ctx workflow.Context) error {
	asked := c.epoch
	if c.instant {
		var acts []task.Act
		next := task.Turn{Ref: c.ref, Entry: c.session.Pending()[0].Entry}
		if err := executeActivity(ctx, task.TakeMany, next).Get(ctx, &acts); err != nil {
			return c.holdCampaign(ctx, asked, err)
		}
		return c.recordActs(acts)
	}
	pending := c.session.Pending()
	if c.areGiven(ctx, pending) {
		return c.takeGiven(ctx, pending)
	}
	futures := make([]workflow.Future, len(pending))
	for i, step := range pending {
		on := ctx
		if queue := c.queues[task.Speaker(step.Speaker)]; queue != "" {
			on = workflow.WithTaskQueue(ctx, queue)
		}
		futures[i] = executeActivity(on, task.TakeTurn, task.Turn{Ref: c.ref, Entry: step.Entry})
	}
	var acts []task.Act
	var failed error
	for i, step := range pending {
		var act transcript.Act
		if err := futures[i].Get(ctx, &act); err != nil {
			failed = moreUrgent(failed, err)
			continue
		}
		acts = append(acts, task.Act{Entry: step.Entry, Act: act})
	}
	if err := c.recordActs(acts); err != nil {
		return err
	}
	return c.holdCampaign(ctx, asked, failed)
}

// areGiven says that all pending entries are the environment's, which are one
// activity together. Histories of before that have one for each.
func (c *collaboration) areGiven(ctx workflow.Context, pending []protocol.Pending) bool {
	asks := slices.ContainsFunc(pending, func(p protocol.Pending) bool { return p.Kind != transcript.Env })
	return !asks && workflow.GetVersion(ctx, "given-at-once", workflow.DefaultVersion, 1) == 1
}

func (c *collaboration) takeGiven(ctx workflow.Context, pending []protocol.Pending) error {
	asked, in := c.epoch, task.Given{Ref: c.ref}
	for _, p := range pending {
		in.Entries = append(in.Entries, p.Entry)
	}
	var given []transcript.Act
	if err := executeActivity(ctx, task.TakeGiven, in).Get(ctx, &given); err != nil {
		return c.holdCampaign(ctx, asked, err)
	}
	for i, act := range given {
		if err := c.session.Record(in.Entries[i], act); err != nil {
			return err
		}
	}
	return nil
}
