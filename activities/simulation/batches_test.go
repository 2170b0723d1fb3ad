package simulation

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"roundtable/activities/batch"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/workflows/plan"
)

// pace is that of batches, with hours for minutes.
var pace = batch.Pace{
	Few: 3, Requests: 6, Bytes: 1 << 20, Quiet: 2 * time.Second, Window: 5 * time.Minute, Create: 2 * time.Minute,
	Settle: 30 * time.Second, Poll: 10 * time.Second, Grace: 10 * time.Minute,
}

// held is a batch that the service has.
type held struct {
	id, name  string
	number    int
	requests  []model.BatchRequest // their bodies are questions, with their campaign
	arrived   time.Time
	listed    time.Time // from when on a list has it
	cancelled time.Time
	ended     bool
	refused   *model.BatchAnswer
	answers   map[string]model.BatchAnswer // by request; the body of one that is OK is the ID of a response
	answering client
}

// batcher is a service with batches, as one process has it.
type batcher struct{ client }

func (batcher) HasBatches() bool { return true }

func (batcher) BatchLimits() (requests, size int) { return 100, 1 << 20 }

// CompleteInBatch sends the question in place of what is asked, which the service looks up.
func (c batcher) CompleteInBatch(_ context.Context, r model.Request, send func([]byte) (model.BatchAnswer, error)) (model.Response, error) {
	_, question, _ := strings.Cut(r.IdempotencyKey, "/") // what is before it is drawn for each run
	r.IdempotencyKey = question
	c.world.mu.Lock()
	c.world.service.asked[question] = r
	c.world.mu.Unlock()
	got, err := send([]byte(question))
	switch {
	case err != nil:
		return model.Response{}, err
	case got.Whole && got.Status == http.StatusTooManyRequests:
		return model.Response{}, fault(model.Retry, got.Status, "token_limit_exceeded", true)
	case got.Whole:
		return model.Response{}, fault(model.Retry, got.Status, model.BatchEnded, true)
	case got.Status == http.StatusBadRequest:
		return model.Response{}, fault(model.Fail, got.Status, "context_length_exceeded", true)
	case got.Status != http.StatusOK:
		return model.Response{}, fault(model.Retry, got.Status, "server_error", false)
	}
	c.world.mu.Lock()
	defer c.world.mu.Unlock()
	c.world.service.read = append(c.world.service.read, read{question, c.process, time.Now()})
	return c.world.service.responses[string(got.Body)], nil
}

// request is one request to the batch interface, up to what the service does: it may be lost, refused
// or the last thing of its process. A batch that is created by one may arrive although it is lost.
func (c batcher) request(ctx context.Context, what string) (n int, err error) {
	w := c.world
	n = w.nth(what)
	if err := c.await(ctx, w.between(50*time.Millisecond, 2*time.Second, what, n, "took"), what); err != nil {
		return n, callError(err)
	}
	f := w.Faults
	switch since := time.Since(w.began) - f.Begin; {
	case since > 0 && since < f.Down:
		return n, fault(model.Retry, http.StatusServiceUnavailable, "unavailable", false)
	case w.happens(f.Refused, what, n, "refused"):
		return n, fault(model.Retry, http.StatusTooManyRequests, "rate_limit_exceeded", true)
	case w.happens(f.Locked, what, n, "locked"):
		return n, fault(model.Pause, http.StatusUnauthorized, "invalid_api_key", true)
	case w.happens(f.Cut, what, n, "cut"):
		return n, fault(model.Retry, 0, "connection_error", false)
	}
	return n, nil
}

// heard is the end of a request: its answer may be lost.
func (c batcher) heard(ctx context.Context, what string, n int) error {
	w := c.world
	if err := c.await(ctx, w.between(50*time.Millisecond, 2*time.Second, what, n, "answered"), what+" answered"); err != nil {
		return callError(err)
	}
	if w.happens(w.Faults.Mute, what, n, "mute") {
		return fault(model.Retry, 0, "connection_error", false)
	}
	return nil
}

func (c batcher) CreateBatch(ctx context.Context, name string, requests []model.BatchRequest) (string, error) {
	w := c.world
	what := "batch of " + string(requests[0].Body)
	n, err := c.request(ctx, what)
	switch fault, _ := errors.AsType[*model.Error](err); {
	case err == nil:
	case !fault.Unbilled && w.chance(what, n, "arrives") < 0.5: // within what is waited for
		longest := pace.Settle / 3
		if c.isDead() {
			longest = pace.Create / 2
		}
		w.background.Go(func() {
			time.Sleep(w.between(0, longest, what, n, "late"))
			w.hold(c.client, name, requests)
		})
		return "", err
	default:
		return "", err
	}
	b := w.hold(c.client, name, requests)
	return b.id, c.heard(ctx, what, n)
}

// hold lets a batch in.
func (w *world) hold(by client, name string, requests []model.BatchRequest) *held {
	for _, r := range requests {
		w.checkNews(string(r.Body))
		w.checkTwice(string(r.Body))
	}
	w.mu.Lock()
	b := &held{name: name, number: len(w.service.batches), requests: requests, arrived: time.Now(), listed: time.Now(), answering: by}
	b.id = fmt.Sprintf("batch-%d", b.number)
	w.service.batches = append(w.service.batches, b)
	w.mu.Unlock()
	first := string(requests[0].Body)
	n := w.nth("held " + first)
	if w.happens(w.Faults.Unseen, first, n, "unseen") {
		b.listed = b.arrived.Add(w.between(0, pace.Settle/3, first, n, "unseen for"))
	}
	w.note("%s is the batch %s of %d requests", b.id, name, len(requests))
	switch {
	case w.happens(w.Faults.Unfit, first, n, "unfit"):
		b.refused = &model.BatchAnswer{Status: []int{http.StatusBadRequest, http.StatusTooManyRequests}[n%2]}
		w.background.Go(func() { w.endBatch(b, time.Second) })
	case !w.happens(w.Faults.Hung, first, n, "hung"):
		w.background.Go(func() { w.endBatch(b, w.between(2*time.Second, 90*time.Second, first, n, "took")) })
	case w.Nameless: // as Anthropic does after 24 hours
		w.background.Go(func() { w.endBatch(b, pace.Window+pace.Grace/2) })
	}
	return b
}

// endBatch ends a batch after a time: each request is answered, has failed, or was not worked on.
func (w *world) endBatch(b *held, after time.Duration) {
	time.Sleep(after)
	w.mu.Lock()
	over := b.ended
	b.ended = true
	w.mu.Unlock()
	if over {
		return
	}
	answers := map[string]model.BatchAnswer{}
	for _, r := range b.requests {
		key := string(r.Body)
		question := strings.TrimPrefix(key, campaign+"/")
		w.mu.Lock()
		asked := w.service.asked[key]
		w.mu.Unlock()
		happens := func(p float64, what string) bool { return w.happens(p, question, b.number, what) }
		switch {
		case b.refused != nil, happens(w.Faults.Expired, "expired"), !b.cancelled.IsZero() && w.chance(question, b.number, "worked on") < 0.5:
			continue
		case w.ofQuestion(question, "fails") < w.content().fails:
			answers[r.ID] = model.BatchAnswer{Status: http.StatusBadRequest}
			continue
		}
		answer, err := b.answering.answer(context.Background(), question, asked)
		if err != nil {
			w.violate("I5", "%s cannot be answered: %v", question, err)
			continue
		}
		answer.Tier, answer.RequestID = plan.Batch, fmt.Sprintf("%s#%d", question, w.nth("call "+question))
		failed := happens(w.Faults.Failed, "failed") // and may be billed or not, which nobody says
		if !failed || w.chance(question, b.number, "billed") < 0.5 {
			w.bill(key, answer.RequestID, money.Charge(price.In(plan.Batch), answer.Usage))
			w.note("%s is billed in %s", answer.RequestID, b.id)
		}
		if failed {
			answers[r.ID] = model.BatchAnswer{Status: http.StatusInternalServerError}
			continue
		}
		answer = w.misreport(question, answer)
		w.mu.Lock()
		w.service.responses[answer.RequestID] = answer
		w.mu.Unlock()
		answers[r.ID] = model.BatchAnswer{Status: http.StatusOK, Body: []byte(answer.RequestID)}
	}
	w.mu.Lock()
	b.answers = answers
	w.mu.Unlock()
	w.note("%s has ended: %d of %d answers", b.id, len(answers), len(b.requests))
}

// find returns the batch of an ID.
func (w *world) findBatch(id string) *held {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.service.batches {
		if b.id == id {
			return b
		}
	}
	return nil
}

// FindBatch finds a batch by its name or, if Nameless, once it has ended, by the IDs of its requests.
func (c batcher) FindBatch(ctx context.Context, sent model.SentBatch) (string, error) {
	what := "list for " + sent.Name
	n, err := c.request(ctx, what)
	if err != nil {
		return "", err
	}
	found, unclear := "", false
	c.world.mu.Lock()
	for _, b := range c.world.service.batches {
		switch {
		case time.Now().Before(b.listed):
		case c.Nameless && !b.ended:
			unclear = unclear || len(b.requests) == sent.Requests
		case b.name == sent.Name:
			found = b.id
		}
	}
	c.world.mu.Unlock()
	if err := c.heard(ctx, what, n); err != nil {
		return "", err
	}
	if found == "" && unclear {
		return "", model.ErrUnclearBatch
	}
	return found, nil
}

func (c batcher) PollBatch(ctx context.Context, id string) (s model.BatchStatus, err error) {
	n, err := c.request(ctx, "poll "+id)
	if err != nil {
		return s, err
	}
	b := c.world.findBatch(id)
	c.world.mu.Lock()
	s = model.BatchStatus{Ended: b.ended, Total: len(b.requests), Refused: b.refused}
	c.world.mu.Unlock()
	return s, c.heard(ctx, "poll "+id, n)
}

func (c batcher) BatchResults(ctx context.Context, id string, _ model.BatchStatus) (map[string]model.BatchAnswer, error) {
	n, err := c.request(ctx, "results of "+id)
	if err != nil {
		return nil, err
	}
	return c.world.findBatch(id).answers, c.heard(ctx, "results of "+id, n)
}

func (c batcher) CancelBatch(ctx context.Context, id string) error {
	w := c.world
	n, err := c.request(ctx, "cancel "+id)
	if err != nil {
		return err
	}
	b := w.findBatch(id)
	w.mu.Lock()
	over := b.ended
	if again := !b.cancelled.IsZero(); !over && !again {
		b.cancelled = time.Now()
		w.background.Go(func() { w.endBatch(b, w.between(0, time.Minute, id, "ends")) })
	}
	w.mu.Unlock()
	if over {
		return fault(model.Fail, http.StatusBadRequest, "invalid_request_error", true)
	}
	w.note("%s is cancelled", id)
	return c.heard(ctx, "cancel "+id, n)
}

// checkTwice breaks B1 if a question is asked while a batch may still answer it, or has.
func (w *world) checkTwice(question string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.service.batches {
		i := slices.IndexFunc(b.requests, func(r model.BatchRequest) bool { return string(r.Body) == question })
		if i < 0 || b.refused != nil {
			continue
		}
		answered := b.answers[b.requests[i].ID].Status == http.StatusOK
		givenUp := !b.cancelled.IsZero() && time.Since(b.cancelled) > pace.Grace
		if (answered || !b.ended) && !givenUp {
			w.background.Go(func() { w.violate("B1", "%s is asked again although it is in %s", question, b.id) })
		}
	}
}

// checkBatches breaks B2 if a batch of the service is not in the lake under its own name, has the
// name of another one, or was left behind.
func (w *world) checkBatches(ctx context.Context) {
	names := map[string]bool{}
	for _, b := range w.service.batches {
		if names[b.name] {
			w.violate("B2", "%s is a second batch with the name %s", b.id, b.name)
		}
		names[b.name] = true
		if !b.ended {
			w.violate("B2", "%s was left behind", b.id)
		}
		if _, err := w.disk.Get(ctx, batch.Folder(campaign)+b.name+".json"); err != nil {
			w.violate("B2", "%s has no record as %s: %v", b.id, b.name, err)
		}
	}
	findings, err := batch.Check(ctx, w.disk, campaign)
	if err != nil || len(findings) > 0 {
		w.violate("B2", "the records of batches: %+v (%v)", findings, err)
	}
}
