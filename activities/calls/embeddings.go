package calls

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"sync/atomic"

	"roundtable/activities/answers"
	"roundtable/activities/ledger"
	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
)

// Embedding is an embedder behind a service, as a campaign pays for it.
type Embedding struct {
	Campaign string
	ID       string          // of the embedder, in keys of the lake
	Provider model.Provider  // who is asked; its Model is Source
	Source   EmbeddingSource // makes one request, and does not try again
	Price    *campaign.Price // nil if it is that of the campaign's manifest, or not known
	// Keep stores vectors, so that their texts are not asked for again.
	Keep func(ctx context.Context, texts []string, vectors [][]float64) error
}

// Embeddings returns a source whose requests go like calls of agents: under the
// campaign's limits; what a request can cost at most is reserved and announced
// before it is sent; what it has cost is charged after its vectors are kept. An
// error that the operator must fix is an application error of type task.ErrPause.
func (c *Caller) Embeddings(ctx context.Context, e Embedding) (EmbeddingSource, error) {
	m, err := c.Manifest(ctx, e.Campaign, false)
	if err != nil {
		return nil, err
	}
	c.Ceiling(m, e.Provider)
	c.campaignCeiling(m)
	return &embeddings{Embedding: e, caller: c, session: rand.Text()}, nil
}

// embeddings numbers its requests. Each session has its own folder in the ledger:
// two processes do not meet there.
type embeddings struct {
	Embedding
	caller   *Caller
	session  string
	requests atomic.Int64
}

// Vectors makes one request (EmbeddingSource).
func (e *embeddings) Vectors(ctx context.Context, texts []string) (vectors [][]float64, used model.Usage, err error) {
	run := answers.RunKey{Campaign: e.Campaign, Collaboration: ledger.EmbeddingsPrefix + e.ID + "-" + e.session}
	q := Order{Run: run, Entry: int(e.requests.Add(1)), Provider: e.Provider, Price: e.Price, Wordless: true}
	q.Provider.Model = completing(func(ctx context.Context) (model.Usage, error) {
		vectors, used, err = e.Source.Vectors(ctx, texts)
		return used, err
	})
	for _, text := range texts {
		q.Messages = append(q.Messages, model.Message{Content: text})
	}
	_, failed := e.caller.buyOnce(ctx, q, model.Request{Messages: q.Messages},
		func(ctx context.Context, answer *answers.Answer) (err error) {
			answer.Raw, err = json.Marshal(map[string]int{"texts": len(texts)}) // the vectors are kept elsewhere
			return cmp.Or(e.caller.storeWithRetry(ctx, func() error { return e.Keep(ctx, texts, vectors) }), err)
		})
	if failed != nil {
		return nil, used, failed
	}
	return vectors, used, nil
}

// completing is a model that answers with tokens billed, and nothing to read.
type completing func(context.Context) (model.Usage, error)

// Complete makes the one request that it is for.
func (c completing) Complete(ctx context.Context, _ model.Request) (model.Response, error) {
	used, err := c(ctx)
	return model.Response{Usage: used}, err
}
