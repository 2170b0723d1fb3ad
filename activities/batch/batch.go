// Package batch collects the calls that wait for one model into batches of its service, and waits
// for their answers.
//
// It promises: a batch is recorded in the lake, with its name and its calls, before it is sent; it is
// found again after any crash by its ID or by that name, never sent twice and never forgotten. A call
// gets the answer of its request as if it had been made alone, or an error that says that it was
// certainly not worked on.
//
// Before the record, each call is announced in the ledger with the batch's name. So an announced call
// whose batch has no record was never sent, and any other is answered by that batch.
package batch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
	"time"

	"roundtable/activities/model"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
)

// ErrFew says that too few calls are left for a batch: make the call alone, at once.
var ErrFew = errors.New("too few calls are left for a batch")

// ErrStopped says that this process no longer waits for the batch; the service still works on it.
var ErrStopped = errors.New("the worker is stopping; the batch is waited for when it starts again")

// Errors of Submit for a call that a batch did not answer. Any other error comes from Announce, or from
// a batch that has ended: a *model.Error, Unbilled if the call was certainly not answered.
type (
	Unannounced struct{ Err error } // the call left before its batch was made
	Unsent      struct{ Err error } // the call was announced, but certainly not sent
	Kept        struct{ Err error } // the call stays in its batch, where it is found again
)

func (e Unannounced) Error() string { return e.Err.Error() }
func (e Unannounced) Unwrap() error { return e.Err }
func (e Unsent) Error() string      { return e.Err.Error() }
func (e Unsent) Unwrap() error      { return e.Err }
func (e Kept) Error() string        { return e.Err.Error() }
func (e Kept) Unwrap() error        { return e.Err }

// Pace says when batches are sent, polled and given up.
type Pace struct {
	Few      int           // fewer calls are made alone, unless another batch of the model is under way
	Requests int           // in one batch, at most
	Bytes    int           // of one batch's requests, at most: its answers are read at once
	Quiet    time.Duration // without another call, until a batch is sent
	Window   time.Duration // until a batch is cancelled; 0 is never
	Create   time.Duration // that another process may take to create a batch
	Settle   time.Duration // until a batch that is not found was certainly not created
	Poll     time.Duration // between two polls of a batch, at most
	Grace    time.Duration // until a cancelled batch is given up
}

// NewPace returns the pace of a campaign. The less long its calls wait for their tier, the quicker
// it is.
func NewPace(l plan.Limits) Pace {
	wait, falls := l.WaitForTier()
	p := Pace{Few: 10, Requests: 10_000, Bytes: 64 << 20, Window: wait}
	if !falls {
		p.Window, wait = 0, plan.DefaultBatchWait
	}
	p.Quiet, p.Settle = min(30*time.Second, wait/100), min(2*time.Minute, wait/20)
	p.Create = min(25*time.Minute, wait/4)
	p.Poll, p.Grace = min(time.Minute, wait/100), min(30*time.Minute, wait/2)
	return p
}

// Call is one call that is to be answered by a batch.
type Call struct {
	Key  string // names it: run, entry and ask
	Body []byte // of its request
	// Announce writes down that the call is made in a batch of that name, before it is sent.
	Announce func(name string) error
	// Wait is told what the call waits for, each time that this changes.
	Wait func(Wait)
}

// Wait describes what a call waits for: a batch being collected, or one under way.
type Wait struct {
	Name        string // of the batch; empty while it is collected
	Since       time.Time
	Done, Total int // of its requests, if the service says so
	Quiet       time.Duration
	Looking     bool // whether the service has it is not known yet
	Cancelled   bool
	Problem     error // error of the last poll; nil if there was none
}

// Key says which calls go into one batch: those of one campaign for one model.
type Key struct{ Campaign, Provider string }

// Batches are the batches of this process. They are safe for concurrent use.
type Batches struct {
	store store.Store
	alone bool // no other process works for the campaigns of the store
	ctx   context.Context
	stop  context.CancelFunc

	mu         sync.Mutex
	used       map[string]bool // whether a campaign has or had calls in batches
	collectors map[Key]*collector
	sent       map[string]*Sent // by name
}

// New returns Batches whose records are in s. alone says that no other process works on campaigns
// of that store.
func New(s store.Store, alone bool) *Batches {
	b := &Batches{store: s, alone: alone, used: map[string]bool{}, collectors: map[Key]*collector{},
		sent: map[string]*Sent{}}
	b.ctx, b.stop = context.WithCancel(context.Background())
	return b
}

// Close ends all waiting of this process. The services go on with the batches they were sent.
func (b *Batches) Close() { b.stop() }

// AreUsed reports whether the campaign's calls may be in batches: tier is plan.Batch, or batches
// are recorded already.
func (b *Batches) AreUsed(ctx context.Context, campaign string, tier plan.Tier) (bool, error) {
	b.mu.Lock()
	used, known := b.used[campaign]
	if tier == plan.Batch {
		b.used[campaign], used, known = true, true, true
	}
	b.mu.Unlock()
	if known {
		return used, nil
	}
	objects, err := lake.List(ctx, b.store, Folder(campaign))
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		b.used[campaign] = b.used[campaign] || len(objects) > 0
	}
	return b.used[campaign], err
}

// collector has the calls of a model that wait for their batch.
type collector struct {
	queue []*ticket
	bytes int
	timer *time.Timer
	out   int // batches under way
}

// ticket is a call in a queue, and after that in a batch.
type ticket struct {
	Call
	service model.Batcher
	pace    Pace
	taken   chan struct{} // closed when its batch is sent or it has left the queue
	sent    *Sent         // set before taken is closed
	err     error         // or why there is none
}

// Submit puts call into a batch of service and returns its answer. It waits until the batch is full
// or pace.Quiet has passed without another call, then for the batch. The error is ErrFew,
// Unannounced, Unsent or Kept, or says that the call was not answered.
func (b *Batches) Submit(ctx context.Context, key Key, service model.Batcher, pace Pace,
	call Call) (answer model.BatchAnswer, err error) {
	t := &ticket{Call: call, service: service, pace: pace, taken: make(chan struct{})}
	b.enterQueue(key, t)
	call.Wait(Wait{Quiet: pace.Quiet})
	why := ErrStopped
	select {
	case <-t.taken:
	case <-ctx.Done():
		why = context.Cause(ctx)
	case <-b.ctx.Done():
	}
	if b.leave(key, t) {
		return answer, Unannounced{why}
	}
	<-t.taken
	if t.err != nil {
		return answer, t.err
	}
	return t.sent.Await(ctx, call.Key, call.Wait)
}

// frame is how many bytes a request has in a batch, beside its body.
const frame = 200

// enterQueue puts a call into the queue of its model, which is sent if it is full.
func (b *Batches) enterQueue(key Key, t *ticket) {
	requests, size := t.service.BatchLimits()
	requests, size = min(requests, t.pace.Requests), min(size, t.pace.Bytes)
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.collectors[key]
	if c == nil {
		c = &collector{}
		b.collectors[key] = c
	}
	if len(c.queue) > 0 && c.bytes+len(t.Body)+frame > size {
		b.flush(key, c)
	}
	c.queue, c.bytes = append(c.queue, t), c.bytes+len(t.Body)+frame
	if len(c.queue) >= requests {
		b.flush(key, c)
		return
	}
	if c.timer != nil {
		c.timer.Stop()
	}
	c.timer = time.AfterFunc(t.pace.Quiet, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.flush(key, c)
	})
}

// leave takes a call out of its queue; false if it is in a batch already.
func (b *Batches) leave(key Key, t *ticket) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.collectors[key]
	for i, one := range c.queue {
		if one == t {
			c.queue, c.bytes = append(c.queue[:i:i], c.queue[i+1:]...), c.bytes-len(t.Body)-frame
			return true
		}
	}
	return false
}

// flush makes a batch of a queue. The caller holds mu.
func (b *Batches) flush(key Key, c *collector) {
	queue := c.queue
	c.queue, c.bytes = nil, 0
	if c.timer != nil {
		c.timer.Stop()
	}
	switch {
	case len(queue) == 0:
	case len(queue) < queue[0].pace.Few && c.out == 0:
		for _, t := range queue {
			t.err = ErrFew
			close(t.taken)
		}
	default:
		c.out++
		go func() {
			b.send(key, queue)
			b.mu.Lock()
			defer b.mu.Unlock()
			c.out--
		}()
	}
}

// send announces calls, records their batch, sends it and follows it to its end.
func (b *Batches) send(key Key, queue []*ticket) {
	now := time.Now()
	name := nameOf(queue, now)
	var announcing sync.WaitGroup // at once: calls of one round share an intent
	for _, t := range queue {
		announcing.Go(func() { t.err = t.Announce(name) })
	}
	announcing.Wait()
	record := Record{Name: name, Campaign: key.Campaign, Provider: key.Provider, CreatedAt: now.UTC()}
	var requests []model.BatchRequest
	var sent []*ticket
	for _, t := range queue {
		if t.err != nil {
			close(t.taken)
			continue
		}
		requests = append(requests, model.BatchRequest{ID: record.requestID(len(sent)), Body: t.Body})
		sent, record.Calls = append(sent, t), append(record.Calls, t.Key)
	}
	if len(sent) == 0 {
		return
	}
	err := record.put(b.ctx, b.store)
	// others may take the calls for unsent
	if late := time.Since(now) > sent[0].pace.Settle; err == nil && late && !b.alone {
		err = cmp.Or(b.store.Delete(b.ctx, record.objectKey()), errors.New("that took too long"))
	}
	s := newSent(b, record, sent[0].service, sent[0].pace)
	if err == nil {
		b.mu.Lock()
		b.sent[name] = s
		b.mu.Unlock()
	}
	for _, t := range sent {
		if t.sent = s; err != nil {
			t.err = Unsent{fmt.Errorf("a batch could not be recorded: %w", err)}
		}
		close(t.taken)
	}
	if err == nil {
		s.create(requests)
	}
}

// nameOf returns a name that no other batch has: the digest of its calls and its time.
func nameOf(queue []*ticket, now time.Time) string {
	h := sha256.New()
	fmt.Fprintln(h, now.UnixNano())
	for _, t := range queue {
		fmt.Fprintf(h, "%s %d %s\n", t.Key, len(t.Body), t.Body)
	}
	return "roundtable-" + hex.EncodeToString(h.Sum(nil))[:20]
}

// Open returns the batch recorded under name, by whichever process; nil if it has no record, so
// that it was never sent.
func (b *Batches) Open(ctx context.Context, campaign, name string, service model.Batcher, pace Pace) (*Sent, error) {
	b.mu.Lock()
	known := b.sent[name]
	b.mu.Unlock()
	if known != nil {
		return known, nil
	}
	record, err := readRecord(ctx, b.store, campaign, name)
	if record.Name == "" || err != nil {
		return nil, store.IgnoreMissing(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.sent[name]; known != nil {
		return known, nil
	}
	s := newSent(b, record, service, pace)
	s.since = record.CreatedAt.Add(pace.Create)
	b.sent[name] = s
	key := Key{campaign, record.Provider}
	c := cmp.Or(b.collectors[key], &collector{})
	b.collectors[key] = c
	c.out++
	go func() {
		s.follow()
		b.mu.Lock()
		defer b.mu.Unlock()
		c.out--
	}()
	return s, nil
}

// AnyRecorded reports whether the store has a record of a batch of the campaign, ended or not.
func (b *Batches) AnyRecorded(ctx context.Context, campaign string) (bool, error) {
	records, err := readRecords(ctx, b.store, campaign)
	return len(records) > 0, err
}

// CancelAll cancels the campaign's recorded batches that have not ended and waits for a while until
// the services confirm; services has the models by name. unheard says which cancels are not
// confirmed. What was answered by then is fetched by the calls that wait for it; others stay of
// unknown outcome.
func (b *Batches) CancelAll(ctx context.Context, campaign string, pace Pace,
	services map[string]model.Batcher) (unheard, err error) {
	records, err := readRecords(ctx, b.store, campaign)
	if err != nil {
		return nil, err
	}
	var unread, errs []error
	cancelled := map[string]*Sent{}
	for _, r := range records {
		service := services[r.Provider]
		if !r.EndedAt.IsZero() || service == nil {
			continue
		}
		s, err := b.Open(ctx, campaign, r.Name, service, pace)
		if s != nil {
			s.Cancel()
			cancelled[r.Name] = s
		} else if err != nil {
			unread = append(unread, fmt.Errorf("the batch %s is not cancelled: %w", r.Name, err))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, pace.Settle)
	defer cancel()
	for _, r := range records {
		if s := cancelled[r.Name]; s != nil {
			if err := s.awaitCancel(ctx); err != nil {
				errs = append(errs, fmt.Errorf("it is not known whether the batch %s is cancelled: %w", r.Name, err))
			}
		}
	}
	return errors.Join(errs...), errors.Join(unread...)
}
