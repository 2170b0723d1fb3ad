package activities

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"

	"roundtable/activities/answers"
	"roundtable/activities/embed"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/analysis/record"
	"roundtable/analysis/storage"
)

// Embedding is an embedder behind a service, as a campaign pays for it.
type Embedding struct {
	Campaign string
	ID       string       // of the embedder, in keys of the lake
	Provider Provider     // who is asked; its Model is Source
	Source   embed.Source // makes one request, and does not try again
	Price    *money.Price // nil if it is that of the campaign's manifest, or not known
	// Keep stores vectors, so that their texts are not asked for again.
	Keep func(ctx context.Context, texts []string, vectors [][]float64) error
}

// Embeddings is a source whose requests go like calls of agents: under the
// campaign's limits; what a request can cost at most is reserved and announced
// before it is sent; what it has cost is charged after its vectors are kept. An
// error that a person must mend is an application error of type task.ErrPause.
func (a *Activities) Embeddings(ctx context.Context, e Embedding) (embed.Source, error) {
	m, err := a.manifest(ctx, e.Campaign, false)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ceiling(m, e.Provider)
	a.campaignCeiling(m)
	return &embeddings{Embedding: e, activities: a, session: rand.Text()}, nil
}

// embeddings numbers its requests. Each session has a folder of its own in the
// ledger: two processes do not meet there.
type embeddings struct {
	Embedding
	activities *Activities
	session    string
	requests   atomic.Int64
}

const embeddingsPrefix = "embeddings-"

func (e *embeddings) runKey() answers.RunKey {
	return answers.RunKey{Campaign: e.Campaign, Collaboration: embeddingsPrefix + e.ID + "-" + e.session}
}

// Vectors makes one request (embed.Source).
func (e *embeddings) Vectors(ctx context.Context, texts []string) (vectors [][]float64, used model.Usage, err error) {
	a := e.activities
	q := question{run: e.runKey(), entry: int(e.requests.Add(1)), provider: e.Provider, price: e.Price, wordless: true}
	q.provider.Model = completing(func(ctx context.Context) (model.Usage, error) {
		vectors, used, err = e.Source.Vectors(ctx, texts)
		return used, err
	})
	for _, text := range texts {
		q.messages = append(q.messages, model.Message{Content: text})
	}
	pass, err := a.permit(ctx, q)
	if err != nil {
		return nil, used, err
	}
	defer pass.Leave()
	got, err := a.call(ctx, q, 0, model.Request{Messages: q.messages}, pass)
	for errors.Is(err, errLate) {
		got, err = a.call(ctx, q, 0, model.Request{Messages: q.messages}, pass)
	}
	if err != nil {
		return nil, used, err
	}
	defer got.hold.Keep()              // without its answer the ledger says that its outcome is not known
	kept := context.WithoutCancel(ctx) // what was bought is stored, cancelled or not
	if err := a.storeWithRetry(func() error { return e.Keep(kept, texts, vectors) }); err != nil {
		return nil, used, err
	}
	if got.answer.Raw, err = json.Marshal(map[string]int{"texts": len(texts)}); err != nil { // the vectors are kept elsewhere
		return nil, used, err
	}
	if _, err := a.storeTurn(kept, q.run, answers.Turn{Entry: q.entry, Asks: []answers.Answer{got.answer}, Done: true}); err != nil {
		return nil, used, err
	}
	got.hold.Settle(got.charge)
	return vectors, used, nil
}

// completing is a model that answers with tokens billed, and nothing to read.
type completing func(context.Context) (model.Usage, error)

// Complete makes the one request that it is for.
func (c completing) Complete(ctx context.Context, _ model.Request) (model.Response, error) {
	used, err := c(ctx)
	return model.Response{Usage: used}, err
}

// EmbeddingCalls are the calls for embeddings in a campaign's ledger, by the
// embedder's id.
func EmbeddingCalls(ctx context.Context, s storage.Store, campaign string) (map[string][]record.Call, error) {
	answers := answers.NewAnswers(s)
	runs, err := answers.Runs(ctx, campaign)
	if err != nil {
		return nil, err
	}
	calls := map[string][]record.Call{}
	for _, p := range runs {
		name, ok := strings.CutPrefix(p.Collaboration, embeddingsPrefix)
		session := strings.LastIndexByte(name, '-')
		if !ok || session < 0 {
			continue
		}
		stored, err := answers.Load(ctx, p)
		if err != nil {
			return nil, err
		}
		key := record.Key{CampaignID: campaign, CollaborationID: p.Collaboration}
		calls[name[:session]] = append(calls[name[:session]], stored.Calls(key)...)
	}
	return calls, nil
}
