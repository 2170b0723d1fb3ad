package activities

import (
	"context"
	"slices"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/money"
	"roundtable/workflows/protocol"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// Bounds of one batch of instantaneous turns: it must not keep a cancellation
// waiting, nor make a result too large for history.
const (
	batchTime  = 250 * time.Millisecond
	batchTurns = 2000
)

// TakeMany makes entries of a collaboration whose model takes no time, whole
// rounds at once, from the given entry on. They are stored as one object
// before the workflow hears of them.
func (a *Activities) TakeMany(ctx context.Context, in task.Turn) ([]task.Act, error) {
	c, err := a.open(ctx, in.Ref)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	turns, err := a.play(ctx, c)
	if len(turns) > 0 {
		stored, failed := a.answers.PutBatch(ctx, c.run, turns)
		if failed != nil {
			a.live.Remove(in.Ref) // it knows turns that are not stored
			return nil, failed
		}
		if !slices.EqualFunc(stored, turns, sameAnswer) { // another worker was first
			a.live.Remove(in.Ref)
			return a.TakeMany(ctx, in)
		}
	}
	if err != nil && len(turns) == 0 {
		return nil, err
	}
	return c.acts(in.Entry), nil // an error comes again at the next batch, which it will begin
}

// play takes turns until the collaboration ends or the batch is full. The caller holds c.mu.
func (a *Activities) play(ctx context.Context, c *collaboration) ([]answers.Turn, error) {
	var turns []answers.Turn
	for began := time.Now(); c.session.Outcome() == nil && len(turns) < batchTurns && time.Since(began) < batchTime; {
		for _, pending := range c.session.Pending() {
			_, t, err := a.played(ctx, c, pending)
			if err != nil {
				return turns, err
			}
			turns = append(turns, t)
			if err := c.record(withoutRawAnswers(t)); err != nil {
				return turns, failure.Fail(err)
			}
		}
	}
	return turns, nil
}

// played takes one turn in memory. A panic in it leaves the turns before it to be stored.
func (a *Activities) played(ctx context.Context, c *collaboration, p protocol.Pending) (q question, t answers.Turn, err error) {
	defer failure.Recover(&err)
	if p.Kind == transcript.Env {
		return q, t, c.missingEntry(p.Entry)
	}
	if q, err = c.question(p.Entry, p.Step); err != nil {
		return q, t, err
	}
	t, err = a.instant(ctx, q)
	return q, t, err
}

// sameAnswer says whether two turns came from the same last answer; earlier
// versions stored entries without any.
func sameAnswer(a, b answers.Turn) bool {
	return len(a.Asks) > 0 && len(b.Asks) > 0 && string(a.Asks[len(a.Asks)-1].Raw) == string(b.Asks[len(b.Asks)-1].Raw)
}

// instant is takeTurn without the answer store: what costs nothing is stored with its batch.
func (a *Activities) instant(ctx context.Context, q question) (answers.Turn, error) {
	t := answers.Turn{Entry: q.entry}
	for !t.Done {
		started := time.Now()
		response, err := q.provider.Complete(ctx, q.request(t.Asks))
		if err != nil {
			return t, err
		}
		answer := newAnswerRecord(q.provider, &money.Price{}, response, started)
		answer.Ask = len(t.Asks)
		a.meter.answered(answer)
		t.Asks = append(t.Asks, answer)
		if err := q.evaluateAnswer(&t); err != nil {
			return t, err
		}
	}
	return t, nil
}
