package activities

import (
	"context"
	"errors"
	"time"

	"roundtable/activities/calls"
	"roundtable/activities/collaboration"
	"roundtable/activities/commits"
	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/envs"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// throughTime bounds one PlayThrough: a pause waits for its end.
const throughTime = time.Second

// PlayThrough plays collaborations whose models take no time to their end, one after another, for
// about a second. One that cannot is left to a workflow of its own, which retries, pauses or fails
// like any other.
func (a *Activities) PlayThrough(ctx context.Context, in task.Batch) (task.Played, error) {
	capped, err := a.isCapped(ctx, in.Campaign)
	if err != nil {
		return task.Played{}, err
	}
	if capped {
		for i := range in.Cells {
			in.Cells[i].Instant = false
		}
		return task.Played{Left: in.Cells}, nil
	}
	var played task.Played
	for i, began := 0, time.Now(); i < len(in.Cells); i++ {
		if time.Since(began) > throughTime || isStopping(ctx) {
			played.Left = append(played.Left, in.Cells[i:]...)
			break
		}
		cell := in.Cells[i]
		var ended *task.Result
		var err error
		// a long one
		for first := true; err == nil && ended == nil && (first || time.Since(began) < throughTime); first = false {
			ended, err = recoverPanics(ctx, in.Ref(cell), a.playInstant)
		}
		if err == nil && ended != nil {
			played.Add(*ended)
			continue
		}
		cell.Instant = err == nil && i > 0 // it may have the next batch's whole time
		played.Left = append(played.Left, cell)
	}
	return played, nil
}

// isCapped reports whether the tokens of a campaign are limited: then each call is
// counted, and collaborations whose models take no time are played as all others.
func (a *Activities) isCapped(ctx context.Context, campaign string) (bool, error) {
	m, err := a.caller.Manifest(ctx, campaign, false)
	return m.Limits.Tokens > 0, err
}

// playInstant plays a batch of turns of a collaboration whose models take no time, and
// commits it once it is over: then it returns how it ended.
func (a *Activities) playInstant(ctx context.Context, ref task.Ref) (*task.Result, error) {
	if ref.Labeller != "" {
		if err := a.labels.LabelInstantly(ctx, ref, &a.caller.Meter); err != nil {
			return nil, err
		}
		result, err := a.labels.Record(ctx, ref)
		return &result, err
	}
	opened, err := a.open(ctx, ref)
	if err != nil || opened.Committed != nil {
		return opened.Committed, err
	}
	if _, err := a.live.TakeMany(ctx, task.Turn{Ref: ref}, &a.caller.Meter); err != nil {
		return nil, err
	}
	c, err := a.live.Open(ctx, ref)
	if err != nil || !c.IsOver() {
		return nil, err
	}
	result, err := a.Record(ctx, task.Ending{Ref: ref, Status: task.Succeeded})
	return &result, err
}

// isStopping reports whether the worker of an activity is about to end.
func isStopping(ctx context.Context) bool {
	select {
	case <-calls.WorkerStops(ctx):
		return true
	default:
		return ctx.Err() != nil
	}
}

func (a *Activities) takeTurn(ctx context.Context, in task.Turn) (transcript.Act, error) {
	return collaboration.RetryWithFreshState(a.live, in.Ref,
		func() (transcript.Act, error) { return a.takeEntry(ctx, in) })
}

func (a *Activities) takeEntry(ctx context.Context, in task.Turn) (transcript.Act, error) {
	c, err := a.live.Open(ctx, in.Ref)
	if err != nil {
		return transcript.Act{}, err
	}
	q, done, err := c.Ask(in.Entry)
	if err != nil {
		return transcript.Act{}, err
	}
	if done != nil {
		return done.Act, nil
	}
	t, err := a.taker.TakeTurnOnce(ctx, q)
	if err != nil {
		return transcript.Act{}, err
	}
	return t.Act, c.Add(t)
}

// Record commits the rows of an ended collaboration. They are made from the store alone, so every
// process makes the same. A collaboration that cannot be begun, played, counted or scored ends as
// failed, with the rows that can be made.
func (a *Activities) Record(ctx context.Context, end task.Ending) (task.Result, error) {
	switch {
	case end.Labeller != "" && end.Status != task.Succeeded: // it leaves no labels
		return task.Result{Status: end.Status, Failure: end.Failure}, nil
	case end.Labeller != "":
		return a.labels.Record(ctx, end.Ref)
	}
	scored, err := a.scoreDecision(ctx, &end)
	if err != nil {
		return task.Result{}, err
	}
	if err := a.recording.Acquire(ctx, 1); err != nil {
		return task.Result{}, err
	}
	defer a.recording.Release(1)
	load := a.live.LoadEnded
	if end.Status != task.Succeeded && a.config.Alone { // it has no outcome, and all that there is is listed
		load = a.live.Load
	}
	c, err := load(ctx, end.Ref)
	var broken failure.Unplayable
	switch {
	case errors.As(err, &broken):
		collaboration.MarkFailed(ctx, &end, err)
	case err != nil:
		return task.Result{}, err
	}
	c.Scored = scored
	if m, known := a.caller.Manifests.LookUp(end.Ref.Campaign); known {
		c.Label = m.Label(c.Condition.ConditionID)
	}
	marker, made, err := collaboration.CommitRows(ctx, a.config.Store, c, &end)
	a.live.Remove(end.Ref)
	if err == nil {
		a.config.Listeners.Ended(calls.CollaborationEvent{Rows: made, Status: marker.Status, Failure: end.Failure})
	}
	if errors.Is(err, commits.ErrConflict) {
		err = failure.Fail(err)
	}
	result := ledger.ResultOf(marker.Outcome())
	result.Failure = end.Failure
	return result, err
}

// scoreDecision returns a program's or a judge's score of the final decision, where one
// scores. One that it cannot score is the failure of its collaboration.
func (a *Activities) scoreDecision(ctx context.Context, end *task.Ending) (*float64, error) {
	camp, err := a.plans.Load(ctx, end.Ref.Campaign, end.Ref.Revision)
	if err != nil || end.Status != task.Succeeded ||
		camp.Conditions[end.Ref.Cell.Condition].Environment.Measure() != envs.Scored {
		return nil, err
	}
	c, err := a.live.LoadEnded(ctx, end.Ref) // without its last entry it would have no decision to score
	if errors.As(err, new(failure.Unplayable)) {
		return nil, nil // its rows will say so
	} else if err != nil {
		return nil, err
	}
	if c.Final() < 0 {
		return nil, nil
	}
	final := envs.Proposal(c.Turns[c.Final()].Proposal)
	var score *float64
	if c.Condition.Judge != nil {
		score, err = a.judgedScore(ctx, end.Ref, c, final)
	} else if outside, ok := c.Instance.(envs.Outside); ok {
		score, err = a.scores.Score(ctx, end.Ref.Campaign, camp.Folder, outside.ScoreRequest(final))
	}
	if errors.As(err, new(failure.Unusable)) {
		collaboration.MarkFailed(ctx, end, err)
		return nil, nil
	}
	return score, err
}
