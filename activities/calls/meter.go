package calls

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/analysis/lake/record"
)

// Meter counts what this process did, for its progress line, and passes events to Listeners.
type Meter struct {
	Listeners Listeners // set before the first call

	calls, Cached, retries, failures, input, output, microUSD, underWay atomic.Int64
	unpriced                                                            atomic.Bool
	last                                                                atomic.Pointer[Trouble]
}

// Trouble is the latest thing that went wrong and is being tried again; a call
// that succeeds clears it.
type Trouble struct {
	Since time.Time `json:"since"` // the first since the last answer
	At    time.Time `json:"at"`
	Until time.Time `json:"until,omitzero"` // as the service asked; zero if it did not
	Text  string    `json:"text"`
}

// Reading is a Meter at one moment.
type Reading struct {
	Calls        int64    `json:"calls"`    // answers received
	Cached       int64    `json:"cached"`   // answers from the cache, which are not calls
	Retries      int64    `json:"retries"`  // calls that failed and are made again
	Failures     int64    `json:"failures"` // calls that failed for good
	InputTokens  int64    `json:"input_tokens"`
	OutputTokens int64    `json:"output_tokens"`
	CostUSD      float64  `json:"cost_usd"`
	Unpriced     bool     `json:"unpriced"`  // some call's price is not known
	UnderWay     int64    `json:"under_way"` // calls that wait for their answer
	Trouble      *Trouble `json:"trouble,omitempty"`
}

// Read returns the counts of now.
func (m *Meter) Read() Reading {
	return Reading{
		Calls: m.calls.Load(), Cached: m.Cached.Load(), Retries: m.retries.Load(), Failures: m.failures.Load(),
		InputTokens: m.input.Load(), OutputTokens: m.output.Load(),
		CostUSD:  float64(m.microUSD.Load()) / 1e6,
		Unpriced: m.unpriced.Load(), UnderWay: m.underWay.Load(), Trouble: m.last.Load(),
	}
}

func (m *Meter) noteFailure(err error) {
	call, ok := errors.AsType[*model.Error](err)
	if ok && call.Class != model.Retry {
		m.failures.Add(1)
		return
	}
	m.retries.Add(1)
	trouble := Trouble{Text: failure.Text(err)}
	if ok && call.RetryAfter > 0 {
		trouble.Until = time.Now().Add(call.RetryAfter)
	}
	m.note(trouble)
}

// note takes the latest trouble down.
func (m *Meter) note(t Trouble) {
	t.At = time.Now()
	t.Since = t.At
	if before := m.last.Load(); before != nil {
		t.Since = before.Since
	}
	m.last.Store(&t)
}

// NoteFailure records err as the reason why an activity is tried again.
func (m *Meter) NoteFailure(err error) {
	m.note(Trouble{Text: failure.Text(err)})
}

// clearFailure clears the latest trouble.
func (m *Meter) clearFailure() { m.last.Store(nil) }

// countAnsweredAtOnce counts the answer of an agent that takes no time and tells listeners of it.
func (m *Meter) countAnsweredAtOnce(q Order, answer answers.Answer) {
	m.Answered(answer)
	if len(m.Listeners) > 0 {
		m.Listeners.Called(q.callEvent(model.Request{}, answer, nil))
	}
}

// Answered counts a received answer with its tokens and cost, and clears Trouble.
func (m *Meter) Answered(answer answers.Answer) {
	m.calls.Add(1)
	m.clearFailure()
	m.input.Add(answer.Usage.Input)
	m.output.Add(answer.Usage.Output)
	if answer.CostUSD == nil {
		m.unpriced.Store(true)
		return
	}
	m.microUSD.Add(int64(*answer.CostUSD * 1e6))
}

// Listener hears of events. Its methods return at once, are safe for concurrent use,
// and change nothing of what they are given.
type Listener interface {
	// Called is told of a call that was answered or has failed.
	Called(CallEvent)
	// Ended is told of a collaboration whose rows are committed.
	Ended(CollaborationEvent)
	// Compacted is told of a campaign whose rows were merged into this many new batches.
	Compacted(campaign string, batches int, took time.Duration)
}

// Listeners are all that hear.
type Listeners []Listener

// Called tells every listener of a call.
func (l Listeners) Called(c CallEvent) {
	for _, one := range l {
		one.Called(c)
	}
}

// Ended tells every listener of a collaboration.
func (l Listeners) Ended(c CollaborationEvent) {
	for _, one := range l {
		one.Ended(c)
	}
}

// Compacted tells every listener of a compaction.
func (l Listeners) Compacted(campaign string, batches int, took time.Duration) {
	for _, one := range l {
		one.Compacted(campaign, batches, took)
	}
}

// CallEvent is one call of a model or an embedder, answered or failed.
type CallEvent struct {
	Run      answers.RunKey
	Entry    int
	Model    string        // provider/model, as the campaign names it
	Endpoint string        // empty for what is simulated or recorded
	Request  model.Request // empty for agents that take no time
	// Answer is the one that came, with its fault if it could not be used; of a call
	// that failed Ask, Attempt, StartedAt and LatencyMS only.
	Answer     answers.Answer
	Err        error // why no answer came; nil if one did
	Embeddings bool  // vectors were asked for
}

// Turn returns the turn that made the call; the zero Turn for checks, labels, judgements and
// embeddings.
func (c CallEvent) Turn() model.Turn {
	if c.Request.Scene == nil {
		return model.Turn{}
	}
	return c.Request.Scene.Turn
}

// Outcomes of a call, as CallEvent.Outcome returns them.
const (
	Answered    = "answered"     // with an answer that could be used
	Unusable    = "unusable"     // with one that could not: asked again, or an invalid turn
	RateLimited = "rate_limited" // refused with 429: tried again
	Overloaded  = "overloaded"   // refused with 503 or 529: tried again
	Failed      = "failed"       // another error of the service or the way to it: tried again
	Timeout     = "timeout"      // no answer in time: tried again
	Refused     = "refused"      // the operator must act: key, credit, quota
	Rejected    = "rejected"     // this request cannot succeed
)

// CallOutcomes returns all outcomes of calls.
func CallOutcomes() []string {
	return []string{Answered, Unusable, RateLimited, Overloaded, Failed, Timeout, Refused, Rejected}
}

// Outcome returns one of CallOutcomes.
func (c CallEvent) Outcome() string {
	if c.Err == nil {
		if c.Answer.Fault != "" {
			return Unusable
		}
		return Answered
	}
	e, ok := errors.AsType[*model.Error](c.Err)
	switch {
	case ok && e.Class == model.Pause:
		return Refused
	case ok && e.Class == model.Fail:
		return Rejected
	case ok && e.Status == 429:
		return RateLimited
	case ok && (e.Status == 503 || e.Status == 529):
		return Overloaded
	case ok && e.Code == "timeout", errors.Is(c.Err, context.DeadlineExceeded):
		return Timeout
	}
	return Failed
}

// CollaborationEvent is a collaboration that has ended, with all its rows.
type CollaborationEvent struct {
	Rows    record.Rows
	Status  string
	Failure string // why it failed; empty if it did not
}

// Row returns the collaboration's own row.
func (c CollaborationEvent) Row() record.Collaboration { return c.Rows.Collaborations[0] }

// callEvent returns what listeners hear of a call.
func (q Order) callEvent(r model.Request, a answers.Answer, err error) CallEvent {
	return CallEvent{
		Run: q.Run, Entry: q.Entry, Model: q.Provider.Name, Endpoint: q.Provider.Endpoint,
		Request: r, Answer: a, Err: err, Embeddings: q.Wordless,
	}
}

// tellAnswer tells listeners of a call's answer after it was parsed. fault says why it cannot be
// used; "" if it can. Answers from the cache are not told.
func (c *Caller) tellAnswer(q Order, got Paid, fault string) {
	if len(c.Meter.Listeners) == 0 || got.request.Messages == nil {
		return
	}
	got.Answer.Fault = fault
	c.Meter.Listeners.Called(q.callEvent(got.request, got.Answer, nil))
}

// tellFailure tells listeners of a call that brought no answer.
func (c *Caller) tellFailure(q Order, r model.Request, i answers.Intent, err error) {
	if len(c.Meter.Listeners) == 0 {
		return
	}
	took := time.Since(time.UnixMicro(i.StartedAt)).Milliseconds()
	c.Meter.Listeners.Called(q.callEvent(r,
		answers.Answer{Ask: i.Ask, Attempt: i.Attempt, StartedAt: i.StartedAt, LatencyMS: took}, err))
}
