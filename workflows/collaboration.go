// Package workflows is the only workflow code: Campaign runs cells, and
// Collaboration interprets any protocol. Both are deterministic and hold only
// compact acts and references, so history grows linearly with turns.
package workflows

import (
	"errors"
	"maps"
	"slices"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"roundtable/workflows/catalogue"
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
	Paused   bool `json:"paused,omitempty"`   // its campaign is
	Epoch    int  `json:"epoch,omitempty"`    // of its campaign
	Embedded bool `json:"embedded,omitempty"` // as its campaign's
	AtOnce   bool `json:"at_once,omitempty"`  // by PlayOn; false in histories of before
	Visibility
}

// Collaboration returns the workflow that runs one cell to its end and commits its
// rows. It switches on nothing but the kind of a step; which steps there are is the
// protocol's.
func Collaboration(plugins catalogue.Catalogue) func(workflow.Context, CollaborationInput) (task.Result, error) {
	return func(ctx workflow.Context, in CollaborationInput) (task.Result, error) {
		return collaborate(ctx, plugins, in)
	}
}

func collaborate(ctx workflow.Context, plugins catalogue.Catalogue, in CollaborationInput) (task.Result, error) {
	c := collaboration{plugins: plugins, ref: in.Ref, paused: in.Paused, epoch: in.Epoch, embedded: in.Embedded, atOnce: in.AtOnce, visibility: in.Visibility}
	ctx = withHeartbeats(ctx, in.Embedded)
	workflow.Go(ctx, c.listenForSignals)
	result, err := c.run(ctx)
	if err != nil {
		return result, err
	}
	return in.Visibility.showEnd(ctx, result)
}

type collaboration struct {
	plugins   catalogue.Catalogue
	ref       task.Ref
	session   *protocol.Session // nil before it is known
	committed *task.Result      // once it has ended
	queues    map[string]string
	paused    bool
	epoch     int
	embedded  bool

	visibility Visibility

	atOnce  bool // by PlayOn; what follows is of histories of before
	plays   bool // by Play; else by an activity a turn
	instant bool
}

func (c *collaboration) run(ctx workflow.Context) (task.Result, error) {
	if !c.atOnce {
		if err := c.recall(ctx); err != nil {
			return c.endWith(ctx, err)
		}
	}
	for c.committed == nil && (c.session == nil || c.session.Outcome() == nil) {
		if err := workflow.Await(ctx, func() bool { return !c.paused }); err != nil {
			return c.endWith(ctx, err)
		}
		if err := c.playOn(ctx); err != nil {
			return c.endWith(ctx, err)
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return task.Result{}, workflow.NewContinueAsNewError(ctx, task.CollaborationWorkflow,
				CollaborationInput{Ref: c.ref, Paused: c.paused, Epoch: c.epoch, Embedded: c.embedded, AtOnce: true, Visibility: c.visibility})
		}
	}
	if c.committed != nil {
		return *c.committed, nil
	}
	return c.endWith(ctx, c.judge(ctx))
}

// judge has the final decision scored by a judge whose calls a queue of its own holds
// back. Other judges are asked by what plays the collaboration.
func (c *collaboration) judge(ctx workflow.Context) error {
	queue := c.queues[task.JudgeSpeaker]
	if queue == "" {
		return nil
	}
	if err := workflow.Await(ctx, func() bool { return !c.paused }); err != nil {
		return err
	}
	return c.executeOrPause(workflow.WithTaskQueue(ctx, queue), task.Judge, c.ref, nil)
}

// learn takes in what is known of the collaboration, or what came of playing it on.
func (c *collaboration) learn(known task.Recalled) (err error) {
	if c.committed = known.Committed; c.committed != nil {
		return nil
	}
	if c.session == nil && known.Agents > 0 {
		if c.session, err = known.Condition.Session(c.plugins, known.Agents, known.Seed); err != nil {
			return err
		}
		c.plays, c.instant, c.queues = known.Plays, known.Instant, known.Queues
	}
	return c.recordActs(known.Acts)
}

// playOn takes the collaboration on: by one activity, and one for each turn that a
// queue of its own holds back.
func (c *collaboration) playOn(ctx workflow.Context) error {
	if !c.atOnce && !c.plays {
		return c.takeSteps(ctx)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	details := "its first turns"
	var pending []protocol.Pending
	if c.session != nil {
		pending = c.session.Pending()
		details = describePending(pending)
	}
	workflow.SetCurrentDetails(ctx, details)
	asked := c.epoch
	elsewhere := map[int]workflow.Future{}
	for _, step := range pending {
		if queue := c.queues[task.Speaker(step.Speaker)]; queue != "" && step.Kind != transcript.Env {
			elsewhere[step.Entry] = executeActivity(workflow.WithTaskQueue(ctx, queue), task.TakeTurn, task.Turn{Ref: c.ref, Entry: step.Entry})
		}
	}
	var came task.Recalled
	var failed error
	if len(pending) == 0 || len(elsewhere) < len(pending) {
		came, failed = c.play(ctx, firstOf(pending))
	}
	for _, step := range pending {
		taken, ok := elsewhere[step.Entry]
		if !ok {
			continue
		}
		var act transcript.Act
		if err := taken.Get(ctx, &act); err != nil {
			failed = moreUrgent(failed, err)
			continue
		}
		came.Acts = append(came.Acts, task.Act{Entry: step.Entry, Act: act})
	}
	slices.SortStableFunc(came.Acts, func(a, b task.Act) int { return a.Entry - b.Entry })
	if err := c.learn(came); err != nil {
		return err
	}
	return c.holdCampaign(ctx, asked, failed)
}

func firstOf(pending []protocol.Pending) int {
	if len(pending) == 0 {
		return 0
	}
	return pending[0].Entry
}

// play returns what came of playing from an entry on. A pause or the end of ctx
// interrupts it: calls under way come in.
func (c *collaboration) play(ctx workflow.Context, from int) (came task.Recalled, err error) {
	playing, interrupt := workflow.WithCancel(ctx)
	defer interrupt()
	in := task.Playing{Ref: c.ref, Entry: from, Elsewhere: slices.Sorted(maps.Keys(c.queues))}
	name, result := task.PlayOn, any(&came)
	if !c.atOnce {
		name, result = task.Play, &came.Acts
	}
	played := executeActivity(playing, name, in)
	_ = workflow.Await(ctx, func() bool { return played.IsReady() || c.paused }) // the end of ctx is seen before the next step
	interrupted := !played.IsReady()
	if interrupted {
		interrupt()
		if c.embedded { // it would hear of it with its next heartbeat
			lasting, _ := workflow.NewDisconnectedContext(ctx)
			executeActivity(lasting, task.Interrupt, c.ref)
		}
	}
	err = played.Get(ctx, result)
	if interrupted && !isFixable(err) && !isFailure(err) { // it is not tried again, but played on if the pause ends
		err = nil
	}
	return came, err
}

// recordActs records acts in their order. Some may be known: of turns that are taken
// elsewhere, and what the environment gives ahead of its plan's others.
func (c *collaboration) recordActs(acts []task.Act) error {
	for _, a := range acts {
		if c.session.HasAct(a.Entry) {
			continue
		}
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
// can fix (a folder that may not be written, a worker without the key) pauses the campaign; then the
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

// isFailure reports whether an error ends the collaboration.
func isFailure(err error) bool {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	return ok && app.Type() == task.ErrFail
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
