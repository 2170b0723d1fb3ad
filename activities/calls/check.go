package calls

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"roundtable/activities/answers"
	"roundtable/activities/ledger"
	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
)

// checkMessages are what a model is asked to find out whether it can be asked.
var checkMessages = []model.Message{
	{Role: "system", Content: "This call checks that you can be reached."},
	{Role: "user", Content: "Answer with the one word yes."},
}

// checkSchema is that of the check's answer where a campaign asks for answers by a schema.
var checkSchema = json.RawMessage(`{"type":"object","properties":{"answer":{"type":"string"}},"required":["answer"],"additionalProperties":false}`)

// CheckBytes returns the bytes of Check's prompt and schema.
func CheckBytes() int { return ByteSize(checkMessages) + len(checkSchema) }

// CheckOptions say how Check asks a model.
type CheckOptions struct {
	Parameters model.Parameters
	Plain      bool // without a schema
}

// isCheck reports whether a run is that of a check.
func isCheck(run answers.RunKey) bool {
	return strings.HasPrefix(run.Collaboration, ledger.CheckPrefix)
}

// Check asks p once as a campaign asks it, to see whether the model exists, the key is right, the
// parameters are accepted, and how it takes a schema. The call goes like any other through the
// campaign's limits, budget and ledger.
func (c *Caller) Check(ctx context.Context, campaign string, p model.Provider, o CheckOptions) (answers.Answer, error) {
	m, err := c.Manifest(ctx, campaign, false)
	if err != nil {
		return answers.Answer{}, err
	}
	c.Ceiling(m, p)
	run := answers.RunKey{Campaign: campaign, Collaboration: ledger.CheckPrefix + strings.ToLower(rand.Text())}
	q := Order{Run: run, Provider: p, Longest: o.Parameters.MaxTokens, Messages: checkMessages}
	request := model.Request{Messages: checkMessages, Parameters: o.Parameters,
		IdempotencyKey: fmt.Sprintf("%s/0/0", run)}
	if !o.Plain {
		request.Schema, request.Name = checkSchema, "check"
	}
	answer, err := c.buyOnce(ctx, q, request, func(context.Context, *answers.Answer) error { return nil })
	return answer, withKnownModels(ctx, p, err)
}

// shownModels is how many names of models are shown.
const shownModels = 20

// withKnownModels adds to the error of a model that is unknown which there are, if its service
// says so.
func withKnownModels(ctx context.Context, p model.Provider, err error) error {
	e, ok := errors.AsType[*model.Error](err)
	lister, lists := p.Model.(model.Lister)
	if !ok || !lists || e.Fault != model.Missing {
		return err
	}
	names, failed := lister.Models(ctx)
	if failed != nil || len(names) == 0 {
		return err
	}
	slices.Sort(names)
	more := ""
	if len(names) > shownModels {
		more = fmt.Sprintf(" and %d more", len(names)-shownModels)
	}
	told := *e
	told.Message += ". The service has " + strings.Join(names[:min(len(names), shownModels)], ", ") + more
	return &told
}

// buyOnce makes the one call of an entry that belongs to no turn, and stores its
// answer as prepare leaves it.
func (c *Caller) buyOnce(ctx context.Context, q Order, r model.Request,
	prepare func(context.Context, *answers.Answer) error) (answers.Answer, error) {
	permit, err := c.Permit(ctx, q)
	if err != nil {
		return answers.Answer{}, err
	}
	defer permit.Leave()
	got, err := c.Call(ctx, q, 0, r, permit)
	for errors.Is(err, errLate) {
		got, err = c.Call(ctx, q, 0, r, permit)
	}
	if err != nil {
		return answers.Answer{}, err
	}
	c.tellAnswer(q, got, "")
	defer got.Hold.Keep()              // without its answer the ledger says that its outcome is not known
	kept := context.WithoutCancel(ctx) // what was bought is stored, cancelled or not
	if err := prepare(kept, &got.Answer); err != nil {
		return answers.Answer{}, err
	}
	if _, err := c.StoreTurn(kept, q.Run, answers.Turn{Entry: q.Entry, Asks: []answers.Answer{got.Answer}, Done: true},
		""); err != nil {
		return answers.Answer{}, err
	}
	c.Settle(q, got)
	return got.Answer, nil
}

// Embedding is an embedder behind a service whose requests a campaign pays for.
type Embedding struct {
	Campaign string
	ID       string          // of the embedder, in keys of the lake
	Provider model.Provider  // asked for vectors; its Model is Source
	Source   EmbeddingSource // makes one request without retries
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
