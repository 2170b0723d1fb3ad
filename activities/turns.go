package activities

import (
	"context"
	"errors"
	"time"

	"roundtable/activities/calls"
	"roundtable/activities/collaboration"
	"roundtable/activities/commits"
	"roundtable/activities/events"
	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/activities/rows"
	"roundtable/envs"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// Recall returns what is known of a collaboration when its workflow starts. One
// whose model takes no time is played at once, and is over if a batch is enough.
func (a *Activities) Recall(ctx context.Context, ref task.Ref) (task.Recalled, error) {
	camp, err := a.plans.Load(ctx, ref.Campaign, ref.Revision)
	if err != nil {
		return task.Recalled{}, err
	}
	if ended, err := a.ended(ctx, camp, ref); ended != nil || err != nil {
		return task.Recalled{Committed: ended}, err
	}
	c, err := a.live.Open(ctx, ref)
	if err != nil {
		return task.Recalled{}, err
	}
	m, err := a.caller.Manifest(ctx, ref.Campaign, false)
	if err != nil {
		return task.Recalled{}, err
	}
	if c.Condition.IsInstant() {
		if _, err := a.TakeMany(ctx, task.Turn{Ref: ref}); err != nil {
			return task.Recalled{}, err
		}
		if c.IsOver() {
			result, err := a.Record(ctx, task.Ending{Ref: ref, Status: task.Succeeded})
			return task.Recalled{Committed: &result}, err
		}
	}
	return c.Recalled(ctx, m), nil
}

// throughTime bounds one PlayThrough: a pause waits for its end.
const throughTime = time.Second

// PlayThrough plays collaborations whose models take no time to their end, one
// after another, for about a second. One that cannot end so is left to a workflow
// of its own, which tries again, pauses or fails as any other.
func (a *Activities) PlayThrough(ctx context.Context, in task.Batch) (task.Played, error) {
	var played task.Played
	for i, began := 0, time.Now(); i < len(in.Cells); i++ {
		if time.Since(began) > throughTime || isStopping(ctx) {
			played.Left = append(played.Left, in.Cells[i:]...)
			break
		}
		cell := in.Cells[i]
		known, err := guarded(ctx, cell.Ref(in.Campaign, in.Revision), a.Recall)
		for err == nil && known.Committed == nil && time.Since(began) < throughTime { // a long one
			known, err = guarded(ctx, cell.Ref(in.Campaign, in.Revision), a.Recall)
		}
		if err == nil && known.Committed != nil {
			played.Add(*known.Committed)
			continue
		}
		cell.Instant = err == nil && i > 0 // it may have the next batch's whole time
		played.Left = append(played.Left, cell)
	}
	return played, nil
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

// TakeTurn makes one entry of a collaboration with a model that takes time or
// money: the stored answer if there is one, else an intent, the call, the
// answer stored, and only then the report.
func (a *Activities) TakeTurn(ctx context.Context, in task.Turn) (transcript.Act, error) {
	return collaboration.RetryWithFreshState(a.live, in.Ref, func() (transcript.Act, error) { return a.takeEntry(ctx, in) })
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

// TakeMany makes entries of a collaboration whose model takes no time, whole
// rounds at once, from the given entry on.
func (a *Activities) TakeMany(ctx context.Context, in task.Turn) ([]task.Act, error) {
	return a.live.TakeMany(ctx, in, &a.caller.Meter)
}

// TakeGiven returns the acts of entries that the environment gives, in the order asked for.
func (a *Activities) TakeGiven(ctx context.Context, in task.Given) ([]transcript.Act, error) {
	return collaboration.RetryWithFreshState(a.live, in.Ref, func() ([]transcript.Act, error) {
		c, err := a.live.Open(ctx, in.Ref)
		if err != nil {
			return nil, err
		}
		return c.Given(in.Entries)
	})
}

// Record commits the rows of an ended collaboration. They are made from the
// store alone, so every process makes the same. What cannot be begun,
// played, counted or valued has ended, too: as failed, with the rows that can be made.
func (a *Activities) Record(ctx context.Context, end task.Ending) (task.Result, error) {
	scored, err := a.scored(ctx, &end)
	if err != nil {
		return task.Result{}, err
	}
	if err := a.recording.Acquire(ctx, 1); err != nil {
		return task.Result{}, err
	}
	defer a.recording.Release(1)
	c, err := a.live.Load(ctx, end.Ref)
	var broken failure.Unplayable
	switch {
	case errors.As(err, &broken):
		rows.MarkFailed(ctx, &end, err)
	case err != nil:
		return task.Result{}, err
	}
	c.Scored = scored
	marker, made, err := rows.CommitRows(ctx, a.config.Store, c, &end)
	a.live.Remove(end.Ref)
	if err == nil {
		a.config.Listeners.Ended(events.Collaboration{Rows: made, Status: marker.Status, Failure: end.Failure})
	}
	if errors.Is(err, commits.ErrConflict) {
		err = failure.Fail(err)
	}
	result := ledger.ResultOf(marker.Outcome())
	result.Failure = end.Failure
	return result, err
}

// scored returns a program's or a judge's score of the final decision, where one
// scores. One that it cannot score is the failure of its collaboration.
func (a *Activities) scored(ctx context.Context, end *task.Ending) (*float64, error) {
	camp, err := a.plans.Load(ctx, end.Ref.Campaign, end.Ref.Revision)
	if err != nil || end.Status != task.Succeeded || camp.Conditions[end.Ref.Cell.Condition].Environment.Measure() != envs.Scored {
		return nil, err
	}
	c, err := a.live.Load(ctx, end.Ref)
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
		score, err = a.judged(ctx, end.Ref, c, final)
	} else if outside, ok := c.Instance.(envs.Outside); ok {
		score, err = a.scores.Score(ctx, end.Ref.Campaign, camp.Folder, outside.ScoreRequest(final))
	}
	if errors.As(err, new(failure.Unusable)) {
		rows.MarkFailed(ctx, end, err)
		return nil, nil
	}
	return score, err
}
