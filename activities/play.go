package activities

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"go.temporal.io/sdk/temporal"

	"roundtable/activities/answers"
	"roundtable/activities/calls"
	"roundtable/activities/failure"
	"roundtable/workflows/task"
)

// Bounds of one Play: what it did is in the history no later than this, and no
// larger. It ends with a plan, however long that takes. A process that works alone
// dies with its server and finds everything in the store: its Plays are rarer, since
// what Temporal does between two costs as much as the calls of a plan.
const (
	playTime      = 5 * time.Second
	playTimeAlone = time.Minute
	playAsks      = 2000
)

func (c Config) playTime() time.Duration {
	if c.Alone {
		return cmp.Or(c.PlayTime, playTimeAlone)
	}
	return cmp.Or(c.PlayTime, playTime)
}

// PlayOn does all of a collaboration's work for a time: it finds out what is known,
// if nothing is, plays on, and commits the rows once it is over. One with turns
// that are taken elsewhere is not played before these are known.
func (a *Activities) PlayOn(ctx context.Context, in task.Playing) (known task.Recalled, err error) {
	if in.Entry == 0 {
		known, err = a.Recall(ctx, in.Ref)
		if err != nil || known.Committed != nil || len(known.Queues) > len(in.Elsewhere) {
			return known, err
		}
	}
	if known.Acts, err = a.Play(ctx, in); err != nil {
		return task.Recalled{}, err
	}
	c, err := a.live.Open(ctx, in.Ref)
	if err != nil || !c.IsOver() || slices.Contains(in.Elsewhere, task.JudgeSpeaker) { // then Judge comes first
		return known, err
	}
	result, err := a.Record(ctx, task.Ending{Ref: in.Ref, Status: task.Succeeded})
	return task.Recalled{Committed: &result}, err
}

// Play plays a collaboration on from its stored answers: it asks the questions of a
// plan at once, stores each answer, and goes on with the next plan until its time
// is up, the collaboration is over or nothing is left to ask here. It returns the
// acts that came of it. An interruption lets calls under way come in and no other begin.
func (a *Activities) Play(ctx context.Context, in task.Playing) ([]task.Act, error) {
	c, err := a.live.Open(ctx, in.Ref)
	if err != nil {
		return nil, err
	}
	if c.Condition.IsInstant() {
		return a.TakeMany(ctx, task.Turn{Ref: in.Ref, Entry: in.Entry})
	}
	ctx, end := a.live.Begin(ctx, in.Ref)
	defer end()
	most := a.config.playTime()
	asked := 0
	for began := time.Now(); ctx.Err() == nil && (asked == 0 || time.Since(began) < most && asked < playAsks); {
		entries, err := c.Askable(in.Elsewhere)
		if err != nil {
			return nil, err
		}
		if len(entries) == 0 {
			break
		}
		if err := a.takeAll(ctx, in.Ref, entries); err != nil {
			return nil, err
		}
		asked += len(entries)
		if c, err = a.live.Open(ctx, in.Ref); err != nil { // another worker may have been first
			return nil, err
		}
	}
	return c.Acts(in.Entry), nil
}

// Interrupt ends a Play of this process.
func (a *Activities) Interrupt(_ context.Context, ref task.Ref) (struct{}, error) {
	a.live.Interrupt(ref)
	return struct{}{}, nil
}

// takeAll takes turns at once, each until it succeeds, cannot, or ctx ends; the end
// of ctx is no error. One that cannot keeps the others from trying again.
func (a *Activities) takeAll(ctx context.Context, ref task.Ref, entries []int) error {
	again, settle := context.WithCancel(ctx)
	defer settle()
	ctx = answers.Together(ctx, len(entries))
	failed := make([]error, len(entries))
	var all sync.WaitGroup
	for i, entry := range entries {
		all.Go(func() {
			if failed[i] = a.takePatiently(ctx, again, task.Turn{Ref: ref, Entry: entry}); failed[i] != nil {
				settle()
			}
		})
	}
	all.Wait()
	return mostUrgent(failed)
}

// takePatiently takes one turn, trying again while that can help and again lasts.
func (a *Activities) takePatiently(ctx, again context.Context, in task.Turn) error {
	_, err := patiently(ctx, again, in, a.TakeTurn)
	if temporal.IsCanceledError(err) {
		return nil
	}
	return err
}

// patiently does something that asks a model, trying again while that can help and
// again lasts. The end of ctx is a cancelled error.
func patiently[In, Out any](ctx, again context.Context, in In, do func(context.Context, In) (Out, error)) (out Out, err error) {
	ctx, stage := calls.WithStage(ctx)
	defer stage.Leave()
	for attempt := int32(1); ; attempt++ {
		out, err = guarded(ctx, in, do)
		err = failure.ForHistory(ctx, err, attempt)
		if err == nil || temporal.IsCanceledError(err) {
			return out, err
		}
		pause, ok := failure.NextTry(err)
		if !ok {
			return out, err
		}
		stage.Set(func() string { return calls.TriesAgain + failure.Text(err) })
		select {
		case <-time.After(pause):
		case <-calls.WorkerStops(ctx):
			return out, err
		case <-again.Done():
			if ctx.Err() != nil {
				return out, temporal.NewCanceledError()
			}
			return out, err
		}
		stage.Set(nil)
	}
}

// mostUrgent returns the error to act on: one that pauses the campaign would
// otherwise be lost, one that fails the collaboration comes again.
func mostUrgent(errs []error) (urgent error) {
	for _, err := range errs {
		if err == nil || urgent != nil && rank(err) <= rank(urgent) {
			continue
		}
		urgent = err
	}
	return urgent
}

func rank(err error) int {
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	switch {
	case ok && app.Type() == task.ErrPause:
		return 2
	case ok && app.NonRetryable():
		return 1
	}
	return 0
}
