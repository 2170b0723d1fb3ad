package simulation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"roundtable/activities/model"
	"roundtable/activities/money"
	recorded "roundtable/analysis/lake/campaign"
)

// price of the service, in dollars for a million tokens.
var price = recorded.Price{Input: 1, Output: 2, Batch: &recorded.TierPrice{Input: 0.5, Output: 1}}

// service is what the service has counted.
type service struct {
	billed  money.Amount
	allowed money.Amount      // by the highest cap that was ever set; all zero if there was none
	calls   map[string]served // by request id
	read    []read
	answers map[string]time.Time

	batches   []*held
	asked     map[string]model.Request  // in batches, by question
	responses map[string]model.Response // in batches, by request id
}

// served is a call that the service has billed.
type served struct {
	question string // with its campaign
	billed   money.Amount
}

// read is an answer that a process has read to its end.
type read struct {
	question string
	by       *process
	at       time.Time
}

// client is the service as one process has it.
type client struct {
	*process
	text model.Model // what agents answer
}

func fault(class model.Class, status int, code string, unbilled bool) *model.Error {
	return &model.Error{Class: class, Provider: "simulated", Status: status, Code: code, Message: "made up", Unbilled: unbilled}
}

// heldWithin is how soon no call begins any more once calls are held back, where the
// store can be asked.
const heldWithin = 2 * time.Second

func (f Faults) reads() bool { return f.Slow == 0 && f.Lost == 0 && f.Unheld == 0 }

// Complete is one call: it arrives, is billed and is answered, each of which may be
// the last thing of it.
func (c client) Complete(ctx context.Context, r model.Request) (model.Response, error) {
	_, r.IdempotencyKey, _ = strings.Cut(r.IdempotencyKey, "/") // what is before it is drawn for each run
	w, question := c.world, strings.TrimPrefix(r.IdempotencyKey, campaign+"/")
	n := w.nth("call " + question)
	happens := func(p float64, what string) bool { return w.happens(p, question, n, what) }
	if held := w.held.Load(); held != 0 && w.Faults.reads() && time.Since(time.Unix(0, held)) > heldWithin {
		w.violate("pause", "%s asks %s although calls have been held back since %v", c.name, question, time.Since(time.Unix(0, held)))
	}
	took := w.between(50*time.Millisecond, 8*time.Second, question, n, "took")
	if err := c.await(ctx, took/8, "call of "+question); err != nil && !(errors.Is(err, errDead) && w.chance(question, n, "sent") < 0.5) {
		return model.Response{}, callError(err)
	}
	c.checkLease()
	w.checkNews(r.IdempotencyKey)
	c.checkLooked(r.IdempotencyKey, took/8)
	w.checkTwice(r.IdempotencyKey)
	answer, err := c.answer(ctx, question, r)
	if err != nil {
		return answer, err
	}
	if since := time.Since(w.began) - w.Faults.Begin; since > 0 && since < w.Faults.Down {
		return model.Response{}, fault(model.Retry, 503, "unavailable", true)
	}
	f := w.Faults
	switch {
	case happens(f.Refused, "refused"):
		e := fault(model.Retry, 429, "rate_limit_exceeded", true)
		e.RetryAfter = w.between(0, 5*time.Second, question, n, "retry after")
		return model.Response{}, e
	case happens(f.Busy, "busy"):
		return model.Response{}, fault(model.Retry, 529, "overloaded_error", true)
	case happens(f.Locked, "locked"):
		return model.Response{}, fault(model.Pause, 401, "invalid_api_key", true)
	case w.ofQuestion(question, "fails") < w.content().fails:
		return model.Response{}, fault(model.Fail, 400, "context_length_exceeded", true)
	}
	answer.RequestID = fmt.Sprintf("%s#%d", question, n)
	w.bill(r.IdempotencyKey, answer.RequestID, money.Charge(price, answer.Usage))
	w.note("%s is billed for %s", c.name, answer.RequestID)
	switch {
	case happens(f.Failed, "failed"):
		return model.Response{}, fault(model.Retry, 500, "server_error", false)
	case happens(f.Silent, "silent"):
		err := c.await(ctx, time.Hour, "silence about "+question)
		return model.Response{}, callError(err)
	}
	if err := c.await(ctx, took, "answer to "+question); err != nil {
		return model.Response{}, callError(err)
	}
	if happens(f.Cut, "cut") {
		return model.Response{}, fault(model.Retry, 200, "connection_error", false)
	}
	answer = w.misreport(question, answer)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.service.read = append(w.service.read, read{r.IdempotencyKey, c.process, time.Now()})
	return answer, nil
}

// answer returns what is said to a question, with the usage that is billed.
func (c client) answer(ctx context.Context, question string, r model.Request) (model.Response, error) {
	answer, err := c.text.Complete(context.WithoutCancel(ctx), r)
	if err != nil {
		return answer, err
	}
	switch {
	case c.ofQuestion(question, "refusal") < c.content().refusal:
		answer.Text, answer.FinishReason = []byte("I would rather not."), "refusal"
	case c.ofQuestion(question, "malformed") < c.content().malformed:
		answer.Text = answer.Text[:len(answer.Text)/2]
	}
	answer.Model, answer.Usage.Output = "simulated-1", min(answer.Usage.Output, int64(r.Parameters.MaxTokens))
	return answer, nil
}

// misreport returns an answer with the usage that the service tells.
func (w *world) misreport(question string, answer model.Response) model.Response {
	switch {
	case w.ofQuestion(question, "unpriced") < w.content().unpriced:
		answer.Usage = model.Usage{}
	case w.ofQuestion(question, "absurd") < w.content().absurd:
		answer.Usage.Output = 9e15
	}
	return answer
}

func callError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault(model.Retry, 0, "timeout", false)
	}
	return fault(model.Retry, 0, "connection_error", false)
}

// bill charges a call, within what was allowed.
func (w *world) bill(question, id string, amount money.Amount) {
	w.mu.Lock()
	s := &w.service
	if s.calls == nil {
		s.calls = map[string]served{}
	}
	s.calls[id] = served{question, amount}
	s.billed = s.billed.Add(amount)
	over := s.allowed != money.Amount{} && s.billed.NanoUSD > s.allowed.NanoUSD
	billed, allowed := s.billed, s.allowed
	w.mu.Unlock()
	if over {
		w.violate("I4", "%s are billed, and %s were allowed", billed, allowed)
	}
}

// stored notes when an answer was stored.
func (w *world) stored(key string) {
	if !strings.HasPrefix(key, "answers/") {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.service.answers == nil {
		w.service.answers = map[string]time.Time{}
	}
	w.service.answers[key] = time.Now()
}

// checkLooked breaks I1 if a process of a cluster makes a call although its answer was stored, and it has
// not looked for that within two seconds. arriving is how long the call took to arrive.
func (p *process) checkLooked(question string, arriving time.Duration) {
	key := answerKey(question)
	p.mu.Lock()
	at, stored := p.service.answers[key]
	ago := time.Since(p.looked[key]) - arriving
	p.mu.Unlock()
	if stored && !p.Alone && p.Rivals.Awake == 0 && ago > 2100*time.Millisecond {
		p.violate("I1", "%s is bought again by %s, %s after its answer was stored and %s after it was looked for", question, p.name, time.Since(at), ago)
	}
}

// checkNews breaks I1 if a question is asked whose answer was stored when it could
// be known: where several processes work, or writes come late, calls may cross.
func (w *world) checkNews(question string) {
	key := answerKey(question)
	w.mu.Lock()
	at, ok := w.service.answers[key]
	crossed := w.late[shortKey(key)] || w.Processes > 1 && time.Since(at) < 3*time.Minute ||
		w.Rivals.Awake > 0 && time.Since(at) < 3*time.Minute+w.Rivals.Awake-w.Rivals.Asleep
	w.mu.Unlock()
	if ok && !crossed {
		w.violate("I1", "%s is bought again %s after its answer was stored", question, time.Since(at))
	}
}
