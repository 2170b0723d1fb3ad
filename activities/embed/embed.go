// Package embed asks a service for the embeddings of a campaign's messages. It
// is asked while an analysis is read, without the workflow engine, so it tries
// again by itself: as long as a fault passes, and when the service says.
//
// It promises: a batch is small enough for every service that we know; what a
// person must mend is not tried again; what was asked and billed is counted.
package embed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"roundtable/activities/model"
)

const (
	batchTexts = 128       // of 2,048 that OpenAI takes; others take fewer
	batchBytes = 256 << 10 // under 300,000 tokens, however they are counted
	tries      = 8         // of one batch; a service that is down for minutes is a fault to be told
	firstWait  = 500 * time.Millisecond
	longWait   = 30 * time.Second
	longest    = 5 * time.Minute // that a service may ask us to wait for
)

// Source gives the vectors of some texts with one request; its errors are *model.Error.
type Source interface {
	Vectors(ctx context.Context, texts []string) ([][]float64, model.Usage, error)
}

// Meter is what was asked.
type Meter struct {
	Requests    int64 `json:"requests"` // that were answered
	Texts       int64 `json:"texts"`
	InputTokens int64 `json:"input_tokens"` // as the service counts
}

// Endpoint is an embedder behind a service (embedding.Embedder of analysis).
type Endpoint struct {
	name   string
	source Source
	wait   func(context.Context, time.Duration) error

	mu    sync.Mutex
	meter Meter
}

// New names the embedder as figures print it.
func New(name string, source Source) *Endpoint {
	return &Endpoint{name: name, source: source, wait: model.Sleep}
}

// Name of the model, and where it is asked.
func (e *Endpoint) Name() string { return e.name }

// Meter is what has been asked so far.
func (e *Endpoint) Meter() Meter {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.meter
}

// Embed is the vectors of the texts, in their order; with an error those of the
// first texts, which were answered before it.
func (e *Endpoint) Embed(ctx context.Context, texts []string) ([][]float64, error) {
	var vectors [][]float64
	for len(texts) > 0 {
		n := batch(texts)
		got, err := e.ask(ctx, texts[:n])
		if err != nil {
			return vectors, fmt.Errorf("%s: %w", e.name, err)
		}
		vectors, texts = append(vectors, got...), texts[n:]
	}
	return vectors, nil
}

// batch is how many of the texts, at least one, are asked for at once.
func batch(texts []string) int {
	n, size := 0, 0
	for n < len(texts) && n < batchTexts {
		if size += len(texts[n]); n > 0 && size > batchBytes {
			break
		}
		n++
	}
	return n
}

// ask tries a batch until it is answered, or a fault does not pass.
func (e *Endpoint) ask(ctx context.Context, texts []string) ([][]float64, error) {
	var last error
	for try := range tries {
		vectors, used, err := e.source.Vectors(ctx, texts)
		if err == nil {
			e.count(len(texts), used)
			return vectors, nil
		}
		if used.Input > 0 { // of no use, and billed
			e.count(0, used)
		}
		last = err
		fault, ok := errors.AsType[*model.Error](err)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case !ok || fault.Class != model.Retry:
			return nil, err
		case fault.RetryAfter > longest:
			return nil, fmt.Errorf("the service wants to be asked again in %s: %w", fault.RetryAfter, err)
		}
		if try+1 < tries {
			if err := e.wait(ctx, pause(try, fault.RetryAfter)); err != nil {
				return nil, err
			}
		}
	}
	return nil, fmt.Errorf("asked %d times: %w", tries, last)
}

func (e *Endpoint) count(texts int, used model.Usage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.meter.Requests++
	e.meter.Texts += int64(texts)
	e.meter.InputTokens += used.Input
}

// pause is what the service asks for, or twice as long each time; jittered, so
// that those who were refused together do not come back together.
func pause(try int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked + rand.N(asked/10+time.Millisecond)
	}
	d := min(firstWait<<try, longWait)
	return d/2 + rand.N(d/2)
}
