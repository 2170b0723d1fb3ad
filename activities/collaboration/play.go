package collaboration

import (
	"context"
	"slices"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/failure"
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

// TakeMany plays entries of a collaboration whose model takes no time, whole
// rounds at once, from the given entry on. They are stored as one object
// before the workflow hears of them.
func (l *Live) TakeMany(ctx context.Context, in task.Turn, meter *calls.Meter) ([]task.Act, error) {
	c, err := l.Open(ctx, in.Ref)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock() // after the turns are stored: nobody may hear of others
	turns, err := c.play(ctx, meter)
	if len(turns) > 0 {
		stored, failed := l.answers.PutBatch(ctx, c.Run, turns)
		if failed != nil {
			l.Remove(in.Ref) // it knows turns that are not stored
			return nil, failed
		}
		if !slices.EqualFunc(stored, turns, sameAnswer) { // another worker was first
			l.Remove(in.Ref)
			return l.TakeMany(ctx, in, meter)
		}
	}
	if err != nil && len(turns) == 0 {
		return nil, err
	}
	return c.actsFrom(in.Entry), nil // an error comes again at the next batch, which it will begin
}

// sameAnswer reports whether two turns came from the same last answer.
func sameAnswer(a, b answers.Turn) bool {
	return len(a.Asks) > 0 && len(b.Asks) > 0 && string(a.Asks[len(a.Asks)-1].Raw) == string(b.Asks[len(b.Asks)-1].Raw)
}

// play takes instantaneous turns until the collaboration ends or the batch is full.
// The caller holds mu.
func (c *Collaboration) play(ctx context.Context, meter *calls.Meter) ([]answers.Turn, error) {
	var turns []answers.Turn
	for began := time.Now(); c.Session.Outcome() == nil && len(turns) < batchTurns && time.Since(began) < batchTime; {
		for _, pending := range c.Session.Pending() {
			_, t, err := c.PlayTurn(ctx, pending, meter)
			if err != nil {
				return turns, err
			}
			turns = append(turns, t)
			if err := c.Record(withoutRawAnswers(t)); err != nil {
				return turns, failure.Fail(err)
			}
		}
	}
	return turns, nil
}

// PlayTurn takes one turn in memory. A panic in it leaves the turns before it to be stored.
func (c *Collaboration) PlayTurn(ctx context.Context, p protocol.Pending, meter *calls.Meter) (q calls.Question,
	t answers.Turn, err error) {
	defer failure.Recover(&err)
	if p.Kind == transcript.Env {
		return q, t, c.missingEntry(p.Entry)
	}
	if q, err = c.renderQuestion(p.Entry, p.Step); err != nil {
		return q, t, err
	}
	t, err = calls.Instant(ctx, q, meter)
	return q, t, err
}

// withoutRawAnswers returns a turn without its raw answers and thinking, which only its rows need.
func withoutRawAnswers(t answers.Turn) answers.Turn {
	t.Asks, t.Thinking = nil, ""
	return t
}
