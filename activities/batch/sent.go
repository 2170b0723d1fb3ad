package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"roundtable/activities/model"
)

// Sent is a batch that was sent, or may have been.
type Sent struct {
	batches *Batches
	service model.Batcher
	pace    Pace
	wake    chan struct{} // the next look is due now

	mu        sync.Mutex
	record    Record
	status    model.BatchStatus
	waits     []chan struct{} // told of each change
	cancelled time.Time       // when cancelling was asked for
	told      time.Time       // when the service had heard that
	ended     bool
	answers   map[string]model.BatchAnswer // by Call.Key, once it has ended
	taken     map[string]bool              // of them
	err       error                        // of all calls instead

	since   time.Time // from when on it may be found, if it was created
	over    time.Time // when it was first seen to have ended
	problem error     // of the last look
}

func newSent(b *Batches, r Record, service model.Batcher, pace Pace) *Sent {
	return &Sent{
		batches: b, service: service, pace: pace, record: r, since: time.Now(),
		wake: make(chan struct{}, 1), taken: map[string]bool{},
	}
}

// Await waits for the answer to the call of this Key. If ctx ends first, the batch is left as it
// is.
func (s *Sent) Await(ctx context.Context, call string, wait func(Wait)) (model.BatchAnswer, error) {
	changed, leave := s.listenForChanges()
	defer leave()
	for {
		answer, err, over := s.take(call, wait)
		if over {
			return answer, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return answer, Kept{context.Cause(ctx)}
		case <-s.batches.ctx.Done():
			return answer, Kept{ErrStopped}
		}
	}
}

// take returns the answer of a call if the batch has ended.
func (s *Sent) take(call string, wait func(Wait)) (answer model.BatchAnswer, err error, over bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		wait(Wait{
			Name: s.record.Name, Since: s.record.CreatedAt, Done: s.status.Done, Total: s.status.Total,
			Looking: s.record.ID == "", Cancelled: !s.cancelled.IsZero(), Problem: s.problem,
		})
		return answer, nil, false
	}
	if s.err != nil {
		return answer, s.err, true
	}
	if s.taken[call] = true; len(s.taken) == len(s.record.Calls) {
		s.forget()
	}
	answer, answered := s.answers[call]
	if !answered {
		return answer, s.errUnworked("ended without an answer to this request"), true
	}
	return answer, nil, true
}

// errUnworked is the error of a request that was certainly not answered.
func (s *Sent) errUnworked(how string) *model.Error {
	return &model.Error{
		Class: model.Retry, Provider: s.record.Provider, Code: model.BatchEnded, Unbilled: true,
		Message: fmt.Sprintf("the batch %s, sent at %s, %s", s.record.Name,
			s.record.CreatedAt.Format("15:04 UTC on 2006-01-02"), how),
	}
}

// forget has the next who asks for the batch read it again.
func (s *Sent) forget() {
	go func() {
		s.batches.mu.Lock()
		defer s.batches.mu.Unlock()
		if s.batches.sent[s.record.Name] == s {
			delete(s.batches.sent, s.record.Name)
		}
	}()
}

// Cancel begins to ask the service, until it confirms, to end the batch early.
func (s *Sent) Cancel() {
	s.mu.Lock()
	if s.cancelled.IsZero() {
		s.cancelled = time.Now()
	}
	s.mu.Unlock()
	s.tell()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// awaitCancel waits until the service has confirmed a cancel, or the batch has ended.
func (s *Sent) awaitCancel(ctx context.Context) error {
	changed, leave := s.listenForChanges()
	defer leave()
	for {
		s.mu.Lock()
		over, problem := s.ended || !s.told.IsZero(), s.problem
		s.mu.Unlock()
		if over {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return cmp.Or(problem, context.Cause(ctx))
		case <-s.batches.ctx.Done():
			return ErrStopped
		}
	}
}

// listenForChanges returns a channel that is told of each change.
func (s *Sent) listenForChanges() (changed chan struct{}, leave func()) {
	changed = make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits = append(s.waits, changed)
	return changed, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.waits = slices.DeleteFunc(s.waits, func(c chan struct{}) bool { return c == changed })
	}
}

// isToCancel reports whether the service has not heard of a cancel yet.
func (s *Sent) isToCancel() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.cancelled.IsZero() && s.told.IsZero()
}

// askToCancel asks the service to end the batch. What it refuses it has heard: it has ended the batch, or
// does not end any.
func (s *Sent) askToCancel(ctx context.Context, id string) {
	err := s.service.CancelBatch(ctx, id)
	if e, ok := errors.AsType[*model.Error](err); err != nil && !(ok && e.Status/100 == 4 && e.Class == model.Fail) {
		s.note(err)
		return
	}
	s.mu.Lock()
	s.told = time.Now()
	s.mu.Unlock()
	s.tell()
}

// tell tells those who wait that something has changed.
func (s *Sent) tell() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, changed := range s.waits {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
}

// create sends the batch and follows it.
func (s *Sent) create(requests []model.BatchRequest) {
	id, err := s.service.CreateBatch(s.batches.ctx, s.record.Name, requests)
	s.since = time.Now()
	refused, is := errors.AsType[*model.Error](err)
	switch {
	case is && refused.Unbilled || err != nil && !is:
		s.drop(err)
		return
	case err == nil && id != "":
		s.setID(id)
	}
	s.follow()
}

// setID writes down which batch of the service this is. If that fails it is found by its name.
func (s *Sent) setID(id string) {
	s.mu.Lock()
	s.record.ID = id
	r := s.record
	s.mu.Unlock()
	_ = r.replace(s.batches.ctx, s.batches.store)
	s.tell()
}

// drop ends a batch that was certainly not created. Its calls are made again: without the record
// they are known not to have been sent.
func (s *Sent) drop(err error) {
	if failed := s.batches.store.Delete(s.batches.ctx, s.record.objectKey()); failed != nil {
		err = errors.Join(failed, err)
	}
	s.end(nil, Unsent{err})
}

// end gives all calls their answers, or one error.
func (s *Sent) end(answers map[string]model.BatchAnswer, err error) {
	s.mu.Lock()
	s.ended, s.answers, s.err = true, answers, err
	if err != nil {
		s.forget()
	}
	s.mu.Unlock()
	s.tell()
}

// follow looks for the batch until it has ended, or the process does.
func (s *Sent) follow() {
	for !s.look() {
		pause := min(max(time.Since(s.record.CreatedAt)/10, s.pace.Quiet), s.pace.Poll)
		if s.isToCancel() {
			pause = min(s.pace.Quiet, s.pace.Poll)
		}
		select {
		case <-time.After(pause):
		case <-s.wake:
		case <-s.batches.ctx.Done():
			return
		}
	}
}

// look takes the batch one step on and reports whether that was the last.
func (s *Sent) look() bool {
	ctx := s.batches.ctx
	s.mu.Lock()
	r := s.record
	s.mu.Unlock()
	if s.pace.Window > 0 && time.Since(r.CreatedAt) > s.pace.Window { // its time is up
		s.Cancel()
	}
	if r.ID == "" {
		return s.find(ctx)
	}
	if s.isToCancel() {
		s.askToCancel(ctx, r.ID)
	}
	status, err := s.service.PollBatch(ctx, r.ID)
	s.note(err)
	switch {
	case s.isOver(err), err != nil && ctx.Err() != nil:
		return true
	case err == nil && status.Ended:
		if s.over.IsZero() {
			s.over = time.Now()
		}
		return s.finish(ctx, status)
	case s.giveUp():
		return true
	case err == nil:
		s.mu.Lock()
		s.status = status
		s.mu.Unlock()
		s.tell()
	}
	return false
}

// note keeps why the last look has failed, for those who wait; nil if it has not.
func (s *Sent) note(err error) {
	s.mu.Lock()
	s.problem = err
	s.mu.Unlock()
	if err != nil {
		s.tell()
	}
}

// isOver ends the waiting if an error says that more of it is in vain, as with a key that is
// refused: until the operator has acted.
func (s *Sent) isOver(err error) bool {
	e, ok := errors.AsType[*model.Error](err)
	if !ok || e.Class != model.Pause {
		return false
	}
	if e.Fault == model.Missing && s.record.ID != "" {
		gone := s.errUnworked("was deleted; what it has answered is not known")
		gone.Unbilled = false
		s.end(nil, gone)
		return true
	}
	told := *e
	told.Message = fmt.Sprintf("the batch %s cannot be asked for: %s", s.record.Name, e.Message)
	s.end(nil, Kept{&told})
	return true
}

// giveUp ends the waiting for a batch that was cancelled, as its service knows unless it was never
// found, and of which the service has not said since what became of it.
func (s *Sent) giveUp() bool {
	s.mu.Lock()
	cancelled := s.cancelled
	if s.record.ID != "" {
		cancelled = s.told
	}
	s.mu.Unlock()
	if cancelled.IsZero() || time.Since(cancelled) <= s.pace.Grace {
		return false
	}
	e := s.errUnworked("was cancelled and has not ended; what it has answered is not known")
	e.Unbilled = false
	s.end(nil, e)
	return true
}

// find finds out whether the batch was created.
func (s *Sent) find(ctx context.Context) bool {
	id, err := s.service.FindBatch(ctx, model.SentBatch{Name: s.record.Name, Requests: len(s.record.Calls),
		CreatedAt: s.record.CreatedAt})
	s.note(err)
	switch {
	case err != nil && (s.isOver(err) || ctx.Err() != nil || s.giveUp()):
		return true
	case err != nil:
	case id != "":
		s.setID(id)
	case time.Since(s.since) > s.pace.Settle:
		e := s.errUnworked("was never created")
		e.Code = "batch_not_created" // not a reason to leave the tier
		s.drop(e)
		return true
	}
	return false
}

// finish fetches the results of a batch that has ended; false if they are not there yet.
func (s *Sent) finish(ctx context.Context, status model.BatchStatus) bool {
	var results map[string]model.BatchAnswer
	if status.Refused == nil {
		var err error
		if results, err = s.service.BatchResults(ctx, s.record.ID, status); err != nil {
			s.note(err)
			if s.isOver(err) || ctx.Err() != nil {
				return true
			}
			if time.Since(s.over) > s.pace.Grace {
				e := s.errUnworked(fmt.Sprintf("has ended, and its answers cannot be read: %v", err))
				e.Unbilled = false
				s.end(nil, e)
				return true
			}
			return false
		}
	}
	answers := map[string]model.BatchAnswer{}
	for i, call := range s.record.Calls {
		if got, ok := results[s.record.requestID(i)]; ok {
			answers[call] = got
		} else if status.Refused != nil {
			answers[call] = model.BatchAnswer{Status: status.Refused.Status, Body: status.Refused.Body, Whole: true}
		}
	}
	s.mu.Lock()
	s.record.EndedAt = time.Now().UTC()
	r := s.record
	s.mu.Unlock()
	_ = r.replace(ctx, s.batches.store)
	s.end(answers, nil)
	return true
}
