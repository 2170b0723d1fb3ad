package calls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"roundtable/activities/model"
)

const (
	batchTexts       = 128       // of 2,048 that OpenAI takes; others take fewer
	batchBytes       = 256 << 10 // under 300,000 tokens, however they are counted
	embeddingsAtOnce = 8         // batches under way, at most
	tries            = 8         // of one batch; a service that is down for minutes is a fault to be told
	firstWait        = 500 * time.Millisecond
	longWait         = 30 * time.Second
	longest          = 5 * time.Minute // that a service may ask us to wait for
)

// EmbeddingSource returns the vectors of texts, in their order, from one request. Its errors are
// *model.Error.
type EmbeddingSource interface {
	Vectors(ctx context.Context, texts []string) ([][]float64, model.Usage, error)
}

// EmbeddingMeter counts what an embedder was asked.
type EmbeddingMeter struct {
	Requests    int64 `json:"requests"` // that were answered
	Texts       int64 `json:"texts"`
	InputTokens int64 `json:"input_tokens"` // as the service counts
}

// Embeddings is an embedder behind a service.
type Embeddings struct {
	name   string
	source EmbeddingSource
	wait   func(context.Context, time.Duration) error

	mu       sync.Mutex
	meter    EmbeddingMeter
	underWay map[string]bool // texts that are asked for, or about to be
}

// NewEmbeddings returns an embedder that asks source; errors begin with name.
func NewEmbeddings(name string, source EmbeddingSource) *Embeddings {
	return &Embeddings{name: name, source: source, wait: model.Sleep, underWay: map[string]bool{}}
}

// Meter returns what has been asked so far.
func (e *Embeddings) Meter() EmbeddingMeter {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.meter
}

// Fetch requests the vectors of those texts that missing returns, each once, in batches. It goes
// through all groups and holds the texts of a few batches in memory. source must store what it
// returns, so that an answered text is no longer missing.
func (e *Embeddings) Fetch(ctx context.Context, groups iter.Seq2[[]string, error],
	missing func(context.Context, []string) ([]string, error)) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(embeddingsAtOnce)
	send := func(texts []string) { g.Go(func() error { return e.ask(ctx, texts) }) }
	var open []string
	for texts, err := range groups {
		if err == nil {
			// In this order: what is under way now and not a moment later was kept in between.
			texts, err = missing(ctx, e.notUnderWay(texts))
		}
		if err != nil {
			return cmp.Or(g.Wait(), err)
		}
		e.begin(texts)
		open = append(open, texts...)
		for n := batchSize(open); n < len(open); n = batchSize(open) {
			send(slices.Clone(open[:n]))
			open = open[n:]
		}
	}
	if len(open) > 0 {
		send(open)
	}
	return g.Wait()
}

// notUnderWay returns the texts that are not under way.
func (e *Embeddings) notUnderWay(texts []string) []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return e.underWay[text] })
}

func (e *Embeddings) begin(texts []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, text := range texts {
		e.underWay[text] = true
	}
}

func (e *Embeddings) end(texts []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, text := range texts {
		delete(e.underWay, text)
	}
}

// batchSize returns how many of the texts, at least one, are asked for at once.
func batchSize(texts []string) int {
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
func (e *Embeddings) ask(ctx context.Context, texts []string) error {
	var last error
	for try := range tries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		_, used, err := e.source.Vectors(ctx, texts)
		if err == nil {
			e.count(len(texts), used)
			e.end(texts)
			return nil
		}
		if used.Input > 0 { // of no use, and billed
			e.count(0, used)
		}
		last = err
		fault, ok := errors.AsType[*model.Error](err)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !ok || fault.Class != model.Retry:
			return e.wrapErr(err)
		case fault.RetryAfter > longest:
			return e.wrapErr(fmt.Errorf("the service wants to be asked again in %s: %w", fault.RetryAfter, err))
		}
		if try+1 < tries {
			if err := e.wait(ctx, pause(try, fault.RetryAfter)); err != nil {
				return err
			}
		}
	}
	return e.wrapErr(fmt.Errorf("asked %d times: %w", tries, last))
}

func (e *Embeddings) wrapErr(err error) error { return fmt.Errorf("%s: %w", e.name, err) }

func (e *Embeddings) count(texts int, used model.Usage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.meter.Requests++
	e.meter.Texts += int64(texts)
	e.meter.InputTokens += used.Input
}

// pause returns what the service asks for, or twice as long each time; jittered, so
// that those who were refused together do not come back together.
func pause(try int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked + rand.N(asked/10+time.Millisecond)
	}
	d := min(firstWait<<try, longWait)
	return d/2 + rand.N(d/2)
}
