// Package workflows is the only workflow code: Campaign runs cells, and
// Collaboration interprets any protocol. Both are deterministic and hold only
// compact acts and references, so history grows linearly with turns.
package workflows

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"roundtable/workflows/catalogue"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// Names of the signals that steer campaigns and collaborations, with their arguments.
const (
	SignalPause  = "pause"  // Pause
	SignalResume = "resume" // int: the epoch that begins; the operator sends no argument
	SignalCancel = "cancel" // no argument
	SignalTune   = "tune"   // plan.Limits
	SignalExtend = "extend" // CampaignInput of the new revision
)

// Pause is the argument of SignalPause. A collaboration's pause counts only if the campaign was
// not resumed since Epoch: its reason may be gone already.
type Pause struct {
	Reason string `json:"reason"`
	From   string `json:"from,omitempty"`  // workflow ID of the collaboration; empty for the operator
	Epoch  int    `json:"epoch,omitempty"` // how often the campaign had been resumed, as far as it knew
}

// CollaborationInput starts a collaboration's workflow, or continues it as a new run.
type CollaborationInput struct {
	task.Ref
	Paused    bool          `json:"paused,omitempty"` // whether its campaign is paused
	Epoch     int           `json:"epoch,omitempty"`  // of its campaign
	Heartbeat time.Duration `json:"heartbeat"`        // as its campaign's
	Visibility
}

// Collaboration returns the workflow that runs one cell to its end and commits its rows. The
// protocol decides which steps there are.
func Collaboration(plugins catalogue.Catalogue) func(workflow.Context, CollaborationInput) (task.Result, error) {
	return func(ctx workflow.Context, in CollaborationInput) (task.Result, error) {
		c := collaboration{plugins: plugins, in: in, paused: in.Paused, epoch: in.Epoch}
		ctx = withHeartbeat(ctx, in.Heartbeat)
		workflow.Go(ctx, c.listenForSignals)
		result, err := c.run(ctx)
		if err != nil {
			return result, err
		}
		return in.Visibility.showEnd(ctx, result)
	}
}

type collaboration struct {
	plugins   catalogue.Catalogue
	in        CollaborationInput
	session   *protocol.Session // nil before the first round
	setting   task.Setting
	committed *task.Result // by an earlier workflow of the same cell
	judged    bool         // the final decision has its score
	labelled  bool         // of labels: all are stored
	paused    bool
	epoch     int
}

// run plays rounds until the session has its outcome, and one more if a judge scores the
// final decision. Labels of an ended collaboration are one round: all messages at once.
func (c *collaboration) run(ctx workflow.Context) (task.Result, error) {
	for !c.isOver() {
		if err := workflow.Await(ctx, c.isReleased); err != nil {
			return c.endWith(ctx, err)
		}
		// not while paused: a resume that comes just now would be lost
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			next := c.in
			next.Paused, next.Epoch = c.paused, c.epoch
			return task.Result{}, workflow.NewContinueAsNewError(ctx, task.CollaborationWorkflow, next)
		}
		if err := c.playRound(ctx); err != nil {
			return c.endWith(ctx, err)
		}
		if c.committed != nil {
			return *c.committed, nil
		}
	}
	return c.endWith(ctx, nil)
}

// isOver reports whether nobody is left to ask.
func (c *collaboration) isOver() bool {
	if c.in.Labeller != "" {
		return c.labelled
	}
	return c.isDecided() && (c.judged || !c.setting.Judged)
}

// isDecided reports whether the session has its outcome.
func (c *collaboration) isDecided() bool { return c.session != nil && c.session.Outcome() != nil }

func (c *collaboration) isReleased() bool { return !c.paused }

// playRound plays the pending round, or the rest of it: by one activity, and by one for
// each turn that has a task queue of its own. A pause ends both early: calls under way
// come in. So does a resume of a campaign that was not paused: what waits for the time of its
// next attempt is tried at once.
func (c *collaboration) playRound(ctx workflow.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	epoch := c.epoch
	playing, stop := workflow.WithCancel(ctx)
	defer stop()
	judging := c.isDecided()
	round, turns := c.startRound(playing)
	settled := func() bool {
		return (round == nil || round.IsReady()) &&
			!slices.ContainsFunc(turns, func(t turn) bool { return !t.act.IsReady() })
	}
	_ = workflow.Await(ctx, func() bool { return settled() || c.paused || c.epoch > epoch })
	interrupted := !settled()
	if interrupted {
		stop()
	}
	var result task.RoundResult
	var failed error
	if round != nil {
		failed = round.Get(ctx, &result)
	}
	for _, t := range turns { // all of them: their answers are on the way
		var act transcript.Act
		if err := t.act.Get(ctx, &act); err != nil {
			failed = moreUrgent(failed, err)
		} else if c.in.Labeller != "" {
			c.setting.Unlabelled = slices.DeleteFunc(c.setting.Unlabelled,
				func(entry int) bool { return entry == t.entry })
		} else if !judging {
			result.Acts = append(result.Acts, task.Act{Entry: t.entry, Act: act})
		}
	}
	if err := c.apply(result); err != nil {
		return err
	}
	c.judged = judging && failed == nil
	c.labelled = c.in.Labeller != "" && failed == nil && len(c.setting.Unlabelled) == 0
	if interrupted && !isFixable(failed) && !isFailure(failed) {
		return ctx.Err() // what was held back is asked for again after the pause
	}
	return c.holdCampaign(ctx, epoch, failed)
}

// turn is one that is taken from the task queue of its model.
type turn struct {
	entry int
	act   workflow.Future
}

// startRound starts what the pending round consists of. All of it may be turns, or none.
func (c *collaboration) startRound(ctx workflow.Context) (round workflow.Future, turns []turn) {
	in := task.Round{Ref: c.in.Ref, Elsewhere: slices.Sorted(maps.Keys(c.setting.Queues)), Epoch: c.epoch}
	take := func(speaker, summary string, entry int) {
		queue := workflow.WithTaskQueue(ctx, c.setting.Queues[speaker])
		turns = append(turns, turn{entry,
			executeActivity(queue, task.TakeTurn, summary, task.Turn{Ref: c.in.Ref, Entry: entry, Epoch: c.epoch})})
	}
	for _, entry := range c.setting.Unlabelled {
		take(task.LabelSpeaker, fmt.Sprintf("label of entry %d", entry), entry)
	}
	switch {
	case len(turns) > 0:
		return nil, turns
	case c.in.Labeller != "":
		return executeActivity(ctx, task.PlayRound, "labels of all messages", in), nil
	case c.session == nil:
		return executeActivity(ctx, task.PlayRound, "opens the collaboration and plays its round", in), nil
	case c.isDecided():
		const summary = "the judge scores the final decision"
		if c.setting.Queues[task.JudgeSpeaker] != "" {
			take(task.JudgeSpeaker, summary, task.JudgeEntry)
			return nil, turns
		}
		in.From = task.JudgeEntry
		return executeActivity(ctx, task.PlayRound, summary, in), nil
	}
	pending := c.session.Pending()
	in.From = pending[0].Entry
	for _, step := range pending {
		if speaker := task.Speaker(step.Speaker); c.setting.Queues[speaker] != "" && step.Kind != transcript.Env {
			take(speaker, fmt.Sprintf("round %d: %s", step.Round, step.Phase), step.Entry)
		}
	}
	if len(turns) < len(pending) {
		round = executeActivity(ctx, task.PlayRound, describeRound(c.session), in)
	}
	return round, turns
}

// apply takes in what is known after a round. Some acts may be known already: of turns
// that are taken elsewhere, and what the environment gives ahead of its plan's others.
func (c *collaboration) apply(r task.RoundResult) (err error) {
	c.committed = r.Committed
	if r.Setting != nil {
		c.setting = *r.Setting
	}
	if r.Setting != nil && c.in.Labeller == "" {
		if c.session, err = c.setting.Condition.Session(c.plugins, c.setting.Agents, c.setting.Seed); err != nil {
			return err
		}
	}
	slices.SortStableFunc(r.Acts, func(a, b task.Act) int { return a.Entry - b.Entry })
	for _, a := range r.Acts { // none of labels
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
// campaign. If the operator has resumed it since the work was begun, in an earlier
// epoch, the error may speak of what is fixed already, and the work is done again.
func (c *collaboration) holdCampaign(ctx workflow.Context, epoch int, err error) error {
	if !isFixable(err) {
		return err
	}
	if epoch < c.epoch {
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

// endWith commits the rows, whatever happened. An error that the operator can fix, such as
// a folder that may not be written, pauses the campaign; then they are committed.
func (c *collaboration) endWith(ctx workflow.Context, cause error) (task.Result, error) {
	ending := task.Ending{Ref: c.in.Ref, Status: task.Succeeded}
	switch {
	case cause == nil: // it is over, even if a cancel came just now
	case temporal.IsCanceledError(cause) || ctx.Err() != nil:
		ending.Status, ending.Failure = task.Stopped, "cancelled"
	default:
		ending.Status, ending.Failure = task.Failed, messageOf(cause)
	}
	lasting, _ := workflow.NewDisconnectedContext(ctx)
	for {
		epoch := c.epoch
		var result task.Result
		err := executeActivity(lasting, task.Record, "commits the rows: "+ending.Status, ending).Get(lasting, &result)
		if !isFixable(err) {
			return result, err
		}
		if err := c.holdCampaign(lasting, epoch, err); err != nil {
			return task.Result{}, err
		}
		if err := workflow.Await(lasting, c.isReleased); err != nil {
			return task.Result{}, err
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

// listenForSignals follows its campaign's pauses and resumes. The engine may deliver a
// pause after the resume that followed it; one that comes too late is passed over.
func (c *collaboration) listenForSignals(ctx workflow.Context) {
	pause := workflow.GetSignalChannel(ctx, SignalPause)
	resume := workflow.GetSignalChannel(ctx, SignalResume)
	for {
		s := workflow.NewSelector(ctx)
		s.AddReceive(pause, func(ch workflow.ReceiveChannel, _ bool) {
			var p Pause
			ch.Receive(ctx, &p)
			if p.Epoch >= c.epoch {
				c.paused, c.epoch = true, max(c.epoch, p.Epoch)
			}
		})
		s.AddReceive(resume, func(ch workflow.ReceiveChannel, _ bool) {
			var epoch int
			ch.Receive(ctx, &epoch)
			if epoch > c.epoch {
				c.paused, c.epoch = false, epoch
			}
		})
		s.Select(ctx)
	}
}

// messageOf returns an error's own words, without the engine's wrapping.
func messageOf(err error) string {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return app.Message()
	}
	return err.Error()
}
