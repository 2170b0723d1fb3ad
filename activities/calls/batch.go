package calls

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"

	"roundtable/activities/answers"
	"roundtable/activities/batch"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/activities/throttle"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// waiting is a call that was announced in a batch, by this process or an earlier one.
type waiting struct {
	answers.Intent
	batch *batch.Sent
}

// inBatch returns the service if a call is made in a batch, and the batch in which it is under way, if
// it is in one. What was announced in a batch without a record was never sent, and is taken back, once
// no other process can be about to write that record.
func (c *Caller) inBatch(ctx context.Context, m campaign.Manifest, q Order, ask int, tier plan.Tier) (model.Batcher,
	*waiting, error) {
	service, ok := q.Provider.Model.(model.Batcher)
	if !ok || q.Wordless || isCheck(q.Run) {
		return nil, nil, nil
	}
	used, err := c.batches.AreUsed(ctx, q.Run.Campaign, m.Limits.Tier)
	if !used || err != nil {
		return nil, nil, err
	}
	announced, err := c.answers.InBatches(ctx, q.Run, q.Entry, ask, c.alone)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range announced {
		sent, err := c.batches.Open(ctx, q.Run.Campaign, i.Batch, service, c.Pace(m.Limits))
		if err != nil {
			return nil, nil, err
		}
		if sent != nil {
			return service, &waiting{i, sent}, nil
		}
		if sending := 2 * c.Pace(m.Limits).Settle; !c.alone && time.Since(time.UnixMicro(i.StartedAt)) < sending {
			return nil, nil, errElsewhere
		}
		if err := c.answers.Release(ctx, q.Run, i, c.alone); err != nil {
			return nil, nil, err
		}
	}
	if tier != plan.Batch {
		service = nil
	}
	return service, nil, nil
}

// callInBatch makes a call in a batch, or waits for the one in which it is.
func (c *Caller) callInBatch(ctx context.Context, m campaign.Manifest, q Order, i *answers.Intent, r model.Request,
	service model.Batcher, found *waiting, hold *money.Hold) (model.Response, error) {
	c.Meter.underWay.Add(1)
	defer c.Meter.underWay.Add(-1)
	defer setIdle(ctx)
	patient, leave := c.untilNoBatch(ctx, q.Run.Campaign)
	defer leave()
	key := fmt.Sprintf("%s/%d/%d", q.Run, q.Entry, i.Ask)
	told := func(w batch.Wait) { setWaitingFor(ctx, func() Wait { return batchWait(w) }) }
	kept := context.WithoutCancel(ctx)
	r.Messages = slices.Clone(r.Messages)
	for n := range r.Messages { // what is kept for minutes is gone when the next batch is read
		r.Messages[n].Ends = nil
	}
	return service.CompleteInBatch(kept, r, func(body []byte) (model.BatchAnswer, error) {
		if found != nil {
			return found.batch.Await(patient, key, told)
		}
		of := batch.Key{Campaign: q.Run.Campaign, Provider: q.Provider.Name}
		return c.batches.Submit(patient, of, service, c.Pace(m.Limits), batch.Call{
			Key: key, Body: body, Wait: told,
			Announce: func(name string) error {
				i.Batch = name
				err := c.announce(kept, q, i, hold)
				if err == nil {
					err = c.giveWay(kept, q, *i)
				}
				if err != nil {
					return unmade{err}
				}
				return nil
			},
		})
	})
}

// errElsewhere is a call that was not made, since another process makes it in a batch.
var errElsewhere = errors.New("another process sends the call in a batch; it is looked for again")

// giveWay returns errElsewhere if a call that was announced in a batch is in another one: it was announced
// elsewhere while this one was collected. Of two at once each may give way to the other.
func (c *Caller) giveWay(ctx context.Context, q Order, mine answers.Intent) error {
	if c.alone {
		return nil
	}
	announced, err := c.answers.InBatches(ctx, q.Run, q.Entry, mine.Ask, c.alone)
	if err != nil {
		return err
	}
	for _, i := range announced {
		if i.Batch != mine.Batch || i.Attempt != mine.Attempt || i.StartedAt != mine.StartedAt {
			return errElsewhere
		}
	}
	return nil
}

// untilNoBatch returns the context in which a batch is waited for: until the worker stops, or ctx
// ends. The batch of a paused campaign stays at the service and is found again; that of a
// cancelled one is cancelled (CancelBatches), and what it has answered comes in.
func (c *Caller) untilNoBatch(ctx context.Context, campaign string) (context.Context, func()) {
	patient, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	go func() {
		select {
		case <-patient.Done():
			return
		case <-WorkerStops(ctx):
			cancel(throttle.ErrStopping)
			return
		case <-ctx.Done():
		}
		for range 8 { // the word of a cancel may come later than the cancel itself
			_, _ = c.Manifest(patient, campaign, true)
			if held := c.Manifests.Held(campaign); held == task.Cancelled {
				select {
				case <-WorkerStops(ctx):
					cancel(throttle.ErrStopping)
				case <-patient.Done():
				}
				return
			} else if held != "" {
				break
			}
			select {
			case <-time.After(250 * time.Millisecond):
			case <-patient.Done():
				return
			}
		}
		cancel(context.Cause(ctx))
	}()
	return patient, func() { cancel(nil) }
}

// batchWait describes what a call in a batch waits for.
func batchWait(w batch.Wait) Wait {
	if w.Name == "" {
		return Wait{For: "other calls of its batch",
			Ends: fmt.Sprintf("it is sent after %s without another one", w.Quiet)}
	}
	is := Wait{For: "batch " + w.Name, Since: w.Since}
	switch {
	case w.Looking:
		is.Ends = "it is not known yet whether the service has it"
	case w.Total > 0:
		is.Ends = fmt.Sprintf("%d of %d done", w.Done, w.Total)
	}
	if w.Cancelled {
		is.Ends = "it is being cancelled"
	}
	if w.Problem != nil {
		is.Ends = strings.TrimPrefix(fmt.Sprintf("%s; the last look at it failed: %v", is.Ends, w.Problem), "; ")
	}
	return is
}

// isKept reports whether a call stays in its batch, where it is found again.
func isKept(err error) bool { return errors.As(err, new(batch.Kept)) }

// takeOutOfBatch stores the intent of a call that its batch has answered with an error, and that may
// have been billed, as one of its own: it is not to be waited for again.
func (c *Caller) takeOutOfBatch(ctx context.Context, q Order, i answers.Intent) error {
	alone := i
	alone.Batch = ""
	if _, err := c.answers.Intend(ctx, q.Run, alone); err != nil {
		return err
	}
	return c.answers.Release(ctx, q.Run, i, c.alone)
}

// CancelBatches has the batches of a cancelled campaign cancelled, for whoever waits for them. Its
// error is of the lake, not of a service.
func (c *Caller) CancelBatches(ctx context.Context, campaign string) error {
	if recorded, err := c.batches.AnyRecorded(ctx, campaign); err != nil || !recorded {
		return err
	}
	m, err := c.Manifest(ctx, campaign, true)
	if err != nil {
		return err
	}
	built, err := c.plans.Load(ctx, campaign, m.Revision)
	app, isApp := errors.AsType[*temporal.ApplicationError](err)
	if isApp && app.NonRetryable() || failure.Final(err) != nil { // another try builds no such plan
		c.Meter.NoteFailure(err)
		return nil
	} else if err != nil {
		return err
	}
	services := map[string]model.Batcher{}
	for _, cond := range built.Conditions {
		for _, p := range cond.Providers() {
			if service, ok := p.Model.(model.Batcher); ok {
				services[p.Name] = service
			}
		}
	}
	unheard, err := c.batches.CancelAll(ctx, campaign, c.Pace(m.Limits), services)
	if unheard != nil { // the services end them by themselves
		c.Meter.NoteFailure(unheard)
	}
	return err
}
