package calls

import (
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/model"
)

// callEvent returns what listeners hear of a call.
func (q Order) callEvent(r model.Request, a answers.Answer, err error) CallEvent {
	return CallEvent{
		Run: q.Run, Entry: q.Entry, Model: q.Provider.Name, Endpoint: q.Provider.Endpoint,
		Request: r, Answer: a, Err: err, Embeddings: q.Wordless,
	}
}

// TellAnswer tells listeners of a call's answer once it was read: fault says why it
// cannot be used. What was found in the cache is not a call.
func (c *Caller) TellAnswer(q Order, got Paid, fault string) {
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
