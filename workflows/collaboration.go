// Package workflows is the only workflow code: Campaign runs cells, and
// Collaboration interprets any protocol. Both are deterministic and hold only
// compact acts and references, so history grows linearly with turns.
package workflows

import (
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// SignalPause and its siblings steer campaigns and collaborations.
const (
	SignalPause  = "pause"  // Pause
	SignalResume = "resume" // int: the epoch that begins; the operator sends none
	SignalCancel = "cancel" // no argument
	SignalTune   = "tune"   // plan.Limits
	SignalExtend = "extend" // CampaignInput of the new revision
)

// Pause holds a campaign. One that a collaboration asks for counts only if no
// operator has resumed the campaign since: it may speak of what is fixed already.
type Pause struct {
	Reason string `json:"reason"`
	From   string `json:"from,omitempty"`  // workflow ID of the collaboration; empty for the operator
	Epoch  int    `json:"epoch,omitempty"` // how often the campaign had been resumed, as far as it knew
}

// CollaborationInput starts a collaboration, or carries it over into a new run.
type CollaborationInput struct {
	task.Ref
	Paused bool `json:"paused,omitempty"` // its campaign is
	Epoch  int  `json:"epoch,omitempty"`  // of its campaign
}

// Collaboration runs one cell to its end and commits its rows. It switches on
// nothing but the kind of a step; which steps there are is the protocol's.
func Collaboration(ctx workflow.Context, in CollaborationInput) (task.Result, error) {
	c := collaboration{ref: in.Ref, paused: in.Paused, epoch: in.Epoch}
	workflow.Go(ctx, c.listenForSignals)
	return c.run(ctx)
}

type collaboration struct {
	ref     task.Ref
	session *protocol.Session
	instant bool
	queues  map[string]string
	paused  bool
	epoch   int
}

func (c *collaboration) run(ctx workflow.Context) (task.Result, error) {
	var known task.Recalled
	if err := c.executeOrPause(ctx, task.Recall, c.ref, &known); err != nil {
		return c.endWith(ctx, err)
	}
	if known.Committed != nil {
		return *known.Committed, nil
	}
	var err error
	if c.session, err = known.Condition.Session(known.Agents, known.Seed); err != nil {
		return c.endWith(ctx, err)
	}
	c.instant, c.queues = known.Instant, known.Queues
	if err := c.recordActs(known.Acts); err != nil {
		return c.endWith(ctx, err)
	}
	for c.session.Outcome() == nil {
		if err := workflow.Await(ctx, func() bool { return !c.paused }); err != nil {
			return c.endWith(ctx, err)
		}
		if err := c.takeSteps(ctx); err != nil {
			return c.endWith(ctx, err)
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return task.Result{}, workflow.NewContinueAsNewError(ctx, task.CollaborationWorkflow,
				CollaborationInput{Ref: c.ref, Paused: c.paused, Epoch: c.epoch})
		}
	}
	return c.endWith(ctx, nil)
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

func (c *collaboration) recordActs(acts []task.Act) error {
	for _, a := range acts {
		if err := c.session.Record(a.Entry, a.Act); err != nil {
			return err
		}
	}
	return nil
}

// holdCampaign turns an error that the operator can fix into a pause of the
// campaign. If the operator has resumed it since the work was begun, in the epoch
// asked, the error may speak of what is fixed already, and the work is done again.
func (c *collaboration) holdCampaign(ctx workflow.Context, asked int, err error) error {
	if !isFixable(err) {
		return err
	}
	if asked < c.epoch && workflow.GetVersion(ctx, "late-failures", workflow.DefaultVersion, 1) == 1 {
		return nil
	}
	c.paused = true
	parent := workflow.GetInfo(ctx).ParentWorkflowExecution
	if parent == nil {
		return err
	}
	pause := Pause{Reason: messageOf(err), From: workflow.GetInfo(ctx).WorkflowExecution.ID, Epoch: c.epoch}
	return workflow.SignalExternalWorkflow(ctx, parent.ID, "", SignalPause, pause).Get(ctx, nil)
}

// endWith commits the rows, whatever happened.
func (c *collaboration) endWith(ctx workflow.Context, cause error) (task.Result, error) {
	ending := task.Ending{Ref: c.ref, Status: task.Succeeded}
	switch {
	case cause == nil: // it is over, even if a cancel came just now
	case temporal.IsCanceledError(cause) || ctx.Err() != nil:
		ending.Status, ending.Failure = task.Stopped, "cancelled"
	default:
		ending.Status, ending.Failure = task.Failed, messageOf(cause)
	}
	lasting, _ := workflow.NewDisconnectedContext(ctx)
	var result task.Result
	err := c.executeOrPause(lasting, task.Record, ending, &result)
	return result, err
}

// executeOrPause runs an activity that every collaboration needs. An error that the operator
// can fix (a full disk, a worker without the key) pauses the campaign; then the
// activity runs again.
func (c *collaboration) executeOrPause(ctx workflow.Context, name string, input, result any) error {
	for {
		asked := c.epoch
		err := executeActivity(ctx, name, input).Get(ctx, result)
		if !isFixable(err) {
			return err
		}
		if err := c.holdCampaign(ctx, asked, err); err != nil {
			return err
		}
		if err := workflow.Await(ctx, func() bool { return !c.paused }); err != nil {
			return err
		}
	}
}

// isFixable reports whether the operator can do something about an error.
func isFixable(err error) bool {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	return ok && app.Type() == task.ErrPause
}

// moreUrgent returns the error to act on: a pause wins, because it would otherwise be
// lost; the other error, if it lasts, comes again.
func moreUrgent(kept, err error) error {
	if kept == nil || isFixable(err) && !isFixable(kept) {
		return err
	}
	return kept
}

func (c *collaboration) listenForSignals(ctx workflow.Context) {
	pause := workflow.GetSignalChannel(ctx, SignalPause)
	resume := workflow.GetSignalChannel(ctx, SignalResume)
	for {
		s := workflow.NewSelector(ctx)
		s.AddReceive(pause, func(ch workflow.ReceiveChannel, _ bool) {
			var p Pause
			ch.Receive(ctx, &p)
			if p.Epoch >= c.epoch || !ordersSignals(ctx) {
				c.paused, c.epoch = true, max(c.epoch, p.Epoch)
			}
		})
		s.AddReceive(resume, func(ch workflow.ReceiveChannel, _ bool) {
			var epoch int
			ch.Receive(ctx, &epoch)
			if epoch > c.epoch || !ordersSignals(ctx) {
				c.paused, c.epoch = false, epoch
			}
		})
		s.Select(ctx)
	}
}

// ordersSignals reports whether a signal that comes too late is passed over. The
// engine may deliver a pause after the resume that followed it, and the
// collaboration would wait for ever. Histories of earlier versions obey every signal.
func ordersSignals(ctx workflow.Context) bool {
	return workflow.GetVersion(ctx, "late-signals", workflow.DefaultVersion, 1) > workflow.DefaultVersion
}

// messageOf returns an error's own words, without the engine's wrapping.
func messageOf(err error) string {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return app.Message()
	}
	return err.Error()
}

// executeActivity runs an activity until it succeeds or says that it cannot. Retries
// are unlimited: services come back, and answers that were stored are not asked again.
func executeActivity(ctx workflow.Context, name string, input any) workflow.Future {
	silence := Heartbeat
	if name == task.Await { // hundreds of them only wait
		silence = 10 * Heartbeat
	}
	queue := workflow.GetActivityOptions(ctx).TaskQueue
	if queue == "" {
		queue = task.Queue
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           queue,
		StartToCloseTimeout: 7 * 24 * time.Hour, // a call waits for its place; hanging is the heartbeat's matter
		HeartbeatTimeout:    silence,
		WaitForCancellation: true, // an answer under way is kept
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 500 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second,
			NonRetryableErrorTypes: []string{task.ErrPause, task.ErrFail},
		},
	})
	return workflow.ExecuteActivity(ctx, name, input)
}

// TaskTimeout is how long a workflow task may take; one that was running when
// its worker was killed is tried again after that.
const TaskTimeout = 5 * time.Second

// Heartbeat is how long an activity may be silent before it is taken for dead.
const Heartbeat = 5 * time.Second
