package calls

import (
	"errors"
	"sync/atomic"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/failure"
	"roundtable/activities/model"
)

// Meter counts what this process did, for its progress line, and tells who listens.
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

// Read returns the present reading.
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

// NoteFailure notes why an activity is tried again.
func (m *Meter) NoteFailure(err error) {
	m.note(Trouble{Text: failure.Text(err)})
}

// clearFailure clears the latest trouble.
func (m *Meter) clearFailure() { m.last.Store(nil) }

// AnsweredAtOnce counts the answer of an agent that takes no time.
func (m *Meter) AnsweredAtOnce(q Order, answer answers.Answer) {
	m.Answered(answer)
	if len(m.Listeners) > 0 {
		m.Listeners.Called(q.callEvent(model.Request{}, answer, nil))
	}
}

// Answered counts an answer.
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
