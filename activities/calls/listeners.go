package calls

import (
	"context"
	"errors"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/model"
	"roundtable/analysis/lake/record"
)

// Listener hears of events. Its methods return at once, are safe for concurrent use,
// and change nothing of what they are given.
type Listener interface {
	// Called hears of a call that has ended, well or not.
	Called(CallEvent)
	// Ended hears of a collaboration whose rows are committed.
	Ended(CollaborationEvent)
	// Compacted hears of a campaign whose rows were merged into further parts.
	Compacted(campaign string, batches int, took time.Duration)
}

// Listeners are all that hear.
type Listeners []Listener

// Called tells all.
func (l Listeners) Called(c CallEvent) {
	for _, one := range l {
		one.Called(c)
	}
}

// Ended tells all.
func (l Listeners) Ended(c CollaborationEvent) {
	for _, one := range l {
		one.Ended(c)
	}
}

// Compacted tells all.
func (l Listeners) Compacted(campaign string, batches int, took time.Duration) {
	for _, one := range l {
		one.Compacted(campaign, batches, took)
	}
}

// CallEvent is one call of a model or an embedder.
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

// Turn returns which turn asked; zero for checks, labels, judgements and embeddings.
func (c CallEvent) Turn() model.Turn {
	if c.Request.Scene == nil {
		return model.Turn{}
	}
	return c.Request.Scene.Turn
}

// CallOutcomes of calls.
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

// CallOutcomes returns all of them.
func CallOutcomes() []string {
	return []string{Answered, Unusable, RateLimited, Overloaded, Failed, Timeout, Refused, Rejected}
}

// Outcome returns one of the outcomes.
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

// CollaborationEvent is one that has ended, with all its rows.
type CollaborationEvent struct {
	Rows    record.Rows
	Status  string
	Failure string // why it failed; empty if it did not
}

// Row returns the collaboration's own row.
func (c CollaborationEvent) Row() record.Collaboration { return c.Rows.Collaborations[0] }
