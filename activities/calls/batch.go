package calls

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

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
	announced, err := c.answers.Announced(ctx, q.Run, q.Entry, ask, c.alone)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range announced {
		if i.Batch == "" {
			continue
		}
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

// errElsewhere is a call that was not made, since another process makes it.
var errElsewhere = errors.New("another process makes the call; it is looked for again")

// giveWay returns errElsewhere if a call that was announced is made elsewhere: in another batch, or by an
// attempt that began later, since this one was taken for dead. Of two at once each may give way to the other.
func (c *Caller) giveWay(ctx context.Context, q Order, mine answers.Intent) error {
	if c.alone {
		return nil
	}
	announced, err := c.answers.Announced(ctx, q.Run, q.Entry, mine.Ask, c.alone)
	if err != nil {
		return err
	}
	for _, i := range announced {
		isMine := i.Batch == mine.Batch && i.Attempt == mine.Attempt && i.StartedAt == mine.StartedAt
		if !isMine && (i.Batch != "" || i.StartedAt > mine.StartedAt) {
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
			if held := c.Manifests.HoldReason(campaign); held == task.Cancelled {
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
	alone.StartedAt++ // where another process has announced i, both may be its attempt 0: one is released
	if _, err := c.answers.Intend(ctx, q.Run, alone); err != nil {
		return err
	}
	return c.answers.Release(ctx, q.Run, i, c.alone)
}

// CancelBatches cancels the batches of a cancelled campaign, whichever calls wait for them. It
// returns errors of the lake only, not of services.
func (c *Caller) CancelBatches(ctx context.Context, campaign string) error {
	if recorded, err := c.batches.AnyRecorded(ctx, campaign); err != nil || !recorded {
		return err
	}
	m, err := c.Manifest(ctx, campaign, true)
	if err != nil {
		return err
	}
	built, err := c.plans.Load(ctx, campaign, m.Revision)
	f, ok := errors.AsType[*failure.Failure](err)
	if ok && f.Final || failure.Final(err) != nil { // another try builds no such plan
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

// flexTimeout is the deadline of a call in the tier flex for which the campaign sets none, as
// OpenAI advises.
const flexTimeout = 15 * time.Minute

// tiers notes what was refused in a cheaper tier, to know when limits.tier_wait is over. It is
// in memory: after a restart the wait starts again.
type tiers struct {
	mu       sync.Mutex
	standard map[promptKey]time.Time // from when on a call is made in the standard tier
	unsold   map[string]bool         // models that are not sold in the tier, by provider/model
}

// pickTier returns the tier in which a call is made. A model whose price in the tier is not known
// is asked in the standard one, and so is the check.
func (t *tiers) pickTier(q Order, ask int, l plan.Limits, price *campaign.Price) plan.Tier {
	if price == nil || !price.HasTier(l.Tier) || q.Wordless || isCheck(q.Run) {
		return ""
	}
	if batcher, ok := q.Provider.Model.(model.Batcher); l.Tier == plan.Batch && !(ok && batcher.HasBatches()) {
		return ""
	}
	if _, falls := l.WaitForTier(); !falls {
		return l.Tier
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	from, refused := t.standard[q.promptKey(ask)]
	if t.unsold[q.Provider.Name] || refused && !time.Now().Before(from) {
		return ""
	}
	return l.Tier
}

// forget drops what was noted of a call, once it is answered.
func (t *tiers) forget(q Order, ask int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.standard, q.promptKey(ask))
}

// note returns the error of a call in a cheaper tier with what follows from it; nil if the service
// has refused something else than the tier. Such an error says nothing of how busy the account is,
// so its throttle is left alone.
func (t *tiers) note(q Order, ask int, l plan.Limits, err error) error {
	e, ok := errors.AsType[*model.Error](err)
	if !ok || !e.Unbilled && e.Code != model.BatchEnded {
		return nil
	}
	told := *e
	told.Class = model.Retry
	wait, falls := l.WaitForTier()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.standard == nil {
		t.standard, t.unsold = map[promptKey]time.Time{}, map[string]bool{}
	}
	key := q.promptKey(ask)
	switch {
	case isUnsold(e, l.Tier) && !falls:
		told.Class = model.Pause
		told.Message += fmt.Sprintf(" (the tier %s was asked for, and limits.tier_wait is never)", l.Tier)
	case isUnsold(e, l.Tier):
		t.unsold[q.Provider.Name] = true
		told.RetryAfter = time.Millisecond
		told.Message += fmt.Sprintf(" (the tier %s was asked for; from now on the model is asked in the standard tier)", l.Tier)
	case e.Code == model.BatchEnded && !falls:
		told.RetryAfter = time.Millisecond
		told.Message += " (the call goes into another batch, for limits.tier_wait is never)"
	case e.Code == model.BatchEnded:
		t.standard[key] = time.Now()
		told.RetryAfter = time.Millisecond
		told.Message += " (the call is made in the standard tier)"
	case l.Tier != plan.Flex || !isTierBusy(e):
		return nil
	case !falls:
		told.Message += " (the tier flex is busy, and limits.tier_wait is never)"
	default:
		if t.standard[key].IsZero() {
			t.standard[key] = time.Now().Add(wait)
		}
		until := t.standard[key]
		// so that no retry comes after it
		if left := time.Until(until); told.RetryAfter > left || left < task.LongestBackoff {
			told.RetryAfter = max(left, time.Millisecond)
		}
		told.Message += fmt.Sprintf(" (the tier flex is busy; from %s on the call is made in the standard tier)",
			until.UTC().Format("15:04 UTC"))
	}
	return &told
}

// isUnsold reports whether a service refuses the tier itself: OpenAI and Azure answer 400, to a
// batch of another model with words of its own.
func isUnsold(e *model.Error, tier plan.Tier) bool {
	said := strings.ToLower(e.Code + " " + e.Message)
	if tier == plan.Batch {
		return e.Status == http.StatusBadRequest && batchUnsold.MatchString(said)
	}
	return (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity) &&
		(strings.Contains(said, "service_tier") || strings.Contains(said, "servicetier") ||
			strings.Contains(said, "service tier"))
}

// batchUnsold finds words that say that a model cannot be asked in batches.
var batchUnsold = regexp.MustCompile(`model[^.]{0,80}not (supported|available)[^.]{0,40}batch|batch[^.]{0,40}not (supported|available)[^.]{0,80}model`)

// isTierBusy reports whether a service has no room in the tier: OpenAI says so with 429 and
// those words, Google with 503.
func isTierBusy(e *model.Error) bool {
	said := strings.ReplaceAll(strings.ToLower(e.Code+" "+e.Message), "_", " ")
	return e.Status == http.StatusServiceUnavailable || e.Status == http.StatusTooManyRequests &&
		strings.Contains(said, "resource unavailable")
}
