package measurements

import (
	"context"
	"errors"
	"fmt"
	"os"

	"roundtable/activities"
	"roundtable/activities/calls"
	"roundtable/activities/model"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/envs"
	"roundtable/infra"
)

// till takes the campaign for this process when the first batch is to be paid for.
type embeddingBudget struct {
	PriceFlags
	*remoteEmbedder
	store    store.Store
	campaign string
	opened   func() (calls.EmbeddingSource, error)
	closers  []func() error
	paying   *activities.Activities
	held     context.Context // ends when another process takes the campaign over
}

// Vectors makes one request (calls.EmbeddingSource).
func (t *embeddingBudget) Vectors(ctx context.Context, texts []string) ([][]float64, model.Usage, error) {
	source, err := t.opened()
	if err != nil {
		return nil, model.Usage{}, err
	}
	if t.held.Err() != nil {
		return nil, model.Usage{}, context.Cause(t.held)
	}
	return source.Vectors(ctx, texts)
}

func (t *embeddingBudget) open(ctx context.Context) (calls.EmbeddingSource, error) {
	if t.err != nil {
		return nil, cli.UsageError(t.err)
	}
	price, err := t.requestPrice(ctx)
	if err == nil {
		// an endpoint that is down is reported at once, and not retried for a minute
		err = providers.CheckReachable(t.provider)
	}
	if err != nil {
		return nil, cli.UsageError(err)
	}
	alone := false
	t.held = ctx
	// else its campaigns run on another's server: the budget is shared
	if infra.TargetFromEnv(t.Temporal).HostPort == "" {
		held, lock, err := t.LockCampaign(ctx, t.store, t.campaign, "")
		if err != nil {
			return nil, err
		}
		t.held = held
		t.closers = append(t.closers, lock.Close)
		_, alone = t.LocalLake()
	}
	t.paying = activities.New(activities.Config{Store: t.store, Alone: alone})
	return t.paying.Embeddings(ctx, calls.Embedding{
		Campaign: t.campaign, ID: language.EmbedderID(t.Name()), Provider: t.provider, Source: t.source,
		Price: price, Keep: t.Keep,
	})
}

// requestPrice returns what a request costs; nil if that is not known and need not be.
func (t *embeddingBudget) requestPrice(ctx context.Context) (*campaign.Price, error) {
	if t.price == "" {
		return providers.PriceFor(ctx, t.store, t.campaign, t.provider, t.costUnknown, `{"input": …}`)
	}
	var given struct { // an answer has no tokens that could cost
		Input  *float64 `json:"input"`
		Output float64  `json:"output"`
	}
	if err := envs.DecodeStrict([]byte(t.price))(&given); err != nil {
		return nil, fmt.Errorf("--price: %w", err)
	}
	if given.Input == nil {
		return nil, errors.New("--price: input must be given, in US dollars for a million tokens")
	}
	price := campaign.Price{Input: *given.Input, Output: given.Output}
	return &price, price.Validate()
}

func (t *embeddingBudget) sum(asked calls.EmbeddingMeter) embeddingUsage {
	p := embeddingUsage{EmbeddingMeter: asked, CostUSD: new(float64)}
	if t.paying != nil {
		reading := t.paying.Meter()
		if *p.CostUSD = reading.CostUSD; reading.Unpriced {
			p.CostUSD = nil
		}
	}
	return p
}

// close gives back what is reserved and unused, and then releases the campaign.
func (t *embeddingBudget) close() {
	if t.paying != nil {
		t.closers = append([]func() error{func() error { return t.paying.Close(context.Background()) }}, t.closers...)
	}
	for _, close := range t.closers {
		if err := close(); err != nil {
			fmt.Fprintln(os.Stderr, "roundtable:", err)
		}
	}
}
