package model

import (
	"context"
	"errors"
	"time"
)

// Batcher is a Model whose service also answers in batches: files of requests that it works
// through within a day or two, at a lower price.
type Batcher interface {
	Model
	// HasBatches reports whether the endpoint has the interface.
	HasBatches() bool
	// CompleteInBatch is Complete with the request sent, and its answer awaited, by send. Where
	// the service refuses the form of the request, the next form is asked for at once, outside of
	// batches, as Complete does. An error of send is returned as it is.
	CompleteInBatch(ctx context.Context, r Request, send func(body []byte) (BatchAnswer, error)) (Response, error)

	// BatchLimits returns how many requests and bytes a batch has at most.
	BatchLimits() (requests, bytes int)
	// CreateBatch sends a batch under a name and returns the service's ID. An error that is
	// Unbilled says that there is certainly none.
	CreateBatch(ctx context.Context, name string, requests []BatchRequest) (id string, err error)
	// FindBatch returns the ID of a batch that may have been created; "" if there is none. It is
	// ErrUnclearBatch if that cannot be told yet.
	FindBatch(ctx context.Context, b SentBatch) (id string, err error)
	PollBatch(ctx context.Context, id string) (BatchStatus, error)
	// BatchResults returns the answers of a batch that has ended, by the IDs of its requests.
	// Requests that were not worked on, and cost nothing, are missing.
	BatchResults(ctx context.Context, id string, s BatchStatus) (map[string]BatchAnswer, error)
	// CancelBatch has a batch ended early. What was answered by then can still be fetched.
	CancelBatch(ctx context.Context, id string) error
}

// BatchRequest is one request of a batch. Its ID begins with the batch's name and a hyphen, and
// has letters, digits, hyphens and underscores only, at most 64.
type BatchRequest struct {
	ID   string
	Body []byte // as for a single call
}

// SentBatch is what is known of a batch without its ID.
type SentBatch struct {
	Name      string
	Requests  int
	CreatedAt time.Time // by our clock, just before it was sent
}

// BatchStatus is how far a batch has got.
type BatchStatus struct {
	Ended       bool
	Done, Total int          // requests; 0 if the service does not say
	Refused     *BatchAnswer // the answer to all requests, if the batch as a whole was refused
	Outputs     []string     // where its results are, in the service's words
}

// BatchAnswer is the answer to one request of a batch, as a single call would have got it.
type BatchAnswer struct {
	Status int // HTTP status
	Body   []byte
	Whole  bool // the batch was refused, not this request
}

// ErrUnclearBatch says that it is not known yet whether a batch was created.
var ErrUnclearBatch = errors.New("a batch of the same size is under way, which may be ours; its requests are known " +
	"when it ends")

// BatchEnded is the error code of a request whose batch ended without answering it: the batch
// expired or was cancelled.
const BatchEnded = "batch_ended"
