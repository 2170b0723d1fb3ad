package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/temporal"

	"roundtable/activities"
	"roundtable/activities/calls"
	"roundtable/activities/embed"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/analysis/embedding"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/infra"
	"roundtable/workflows/task"
)

// buying is how embeddings are paid for.
type buying struct {
	*options
	price       string
	costUnknown bool
}

func (b *buying) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&b.price, "price", "", "what openai/MODEL costs, in US dollars for a million tokens: {\"input\": 0.02} (default: the campaign's prices, or the built-in table)")
	cmd.Flags().BoolVar(&b.costUnknown, "cost-unknown", false, "ask it although its price is not known")
}

// purchase is what was bought.
type purchase struct {
	embed.Meter
	CostUSD *float64 `json:"cost_usd"` // null if a price is not known
}

// buy asks for the vectors that texts of a campaign lack. Nothing is opened,
// and no price needed, while none is missing.
func (b buying) buy(ctx context.Context, s storage.Store, d lake.Dataset, e *served) (purchase, error) {
	till := &till{buying: b, served: e, store: s, campaign: d.Campaign}
	defer till.close()
	till.opened = sync.OnceValues(func() (embed.Source, error) { return till.open(ctx) })
	endpoint := embed.New(e.Name(), till)
	err := told(endpoint, func() error { return endpoint.Fetch(ctx, texts(ctx, s, d), e.Missing) })
	bought := till.sum(endpoint.Meter())
	bought.tell(e.Name())
	switch app, stopped := errors.AsType[*temporal.ApplicationError](err); {
	case ctx.Err() != nil:
		return bought, exit{exitInterrupted, errors.New("interrupted: what was bought is kept\nresume with: the same command")}
	case stopped && app.Type() == task.ErrPause:
		return bought, exit{exitIncomplete, fmt.Errorf("embedding stopped: %s\nresume with: the same command", app.Message())}
	}
	return bought, err
}

// told says now and then how far an endpoint is.
func told(endpoint *embed.Endpoint, fetch func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- fetch() }()
	tick := time.NewTicker(plainEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-tick.C:
			m := endpoint.Meter()
			fmt.Fprintf(os.Stderr, "%d texts embedded, %s tokens\n", m.Texts, short(m.InputTokens))
		}
	}
}

// tell says on standard error what was asked for.
func (p purchase) tell(name string) {
	if p.Requests == 0 {
		return
	}
	cost := "at a price that is not known"
	if p.CostUSD != nil {
		cost = fmt.Sprintf("$%.4f", *p.CostUSD)
	}
	fmt.Fprintf(os.Stderr, "%s: %d texts embedded with %d requests, %d tokens, %s\n", name, p.Texts, p.Requests, p.InputTokens, cost)
}

// till takes the campaign for this process when the first batch is to be paid for.
type till struct {
	buying
	*served
	store    storage.Store
	campaign string
	opened   func() (embed.Source, error)
	closers  []func() error
	paying   *activities.Activities
}

// Vectors makes one request (embed.Source).
func (t *till) Vectors(ctx context.Context, texts []string) ([][]float64, model.Usage, error) {
	source, err := t.opened()
	if err != nil {
		return nil, model.Usage{}, err
	}
	return source.Vectors(ctx, texts)
}

func (t *till) open(ctx context.Context) (embed.Source, error) {
	if t.fault != nil {
		return nil, exit{exitUsage, t.fault}
	}
	price, err := t.priced(ctx)
	if err == nil {
		err = reachable(t.provider) // one that is not there is told at once, and not tried for a minute
	}
	if err != nil {
		return nil, exit{exitUsage, err}
	}
	alone := false
	if infra.TargetFromEnv(t.temporal).HostPort == "" { // else its campaigns run on another's server: the budget is shared
		lock, err := t.lockCampaign(t.campaign)
		if err != nil {
			return nil, err
		}
		if alone = lock != nil; alone {
			t.closers = append(t.closers, lock.Close)
		}
	}
	t.paying = activities.New(activities.Config{Store: t.store, Alone: alone})
	return t.paying.Embeddings(ctx, calls.Embedding{
		Campaign: t.campaign, ID: embedding.ID(t.Name()), Provider: t.provider, Source: t.source, Price: price, Keep: t.Keep,
	})
}

// priced is what a request costs; nil if that is not known and need not be.
func (t *till) priced(ctx context.Context) (*money.Price, error) {
	if t.price == "" {
		return later(ctx, t.store, t.campaign, t.provider, t.costUnknown, `{"input": …}`)
	}
	var given struct { // an answer has no tokens that could cost
		Input  *float64 `json:"input"`
		Output float64  `json:"output"`
	}
	if err := strictly([]byte(t.price))(&given); err != nil {
		return nil, fmt.Errorf("--price: %w", err)
	}
	if given.Input == nil {
		return nil, errors.New("--price: input must be given, in US dollars for a million tokens")
	}
	price := money.Price{Input: *given.Input, Output: given.Output}
	return &price, price.Validate()
}

func (t *till) sum(asked embed.Meter) purchase {
	p := purchase{Meter: asked, CostUSD: new(float64)}
	if t.paying != nil {
		reading := t.paying.Meter()
		if *p.CostUSD = reading.CostUSD; reading.Unpriced {
			p.CostUSD = nil
		}
	}
	return p
}

// close gives back what is reserved and not used, and then the campaign.
func (t *till) close() {
	if t.paying != nil {
		t.closers = append([]func() error{func() error { return t.paying.Close(context.Background()) }}, t.closers...)
	}
	for _, close := range t.closers {
		if err := close(); err != nil {
			fmt.Fprintln(os.Stderr, "roundtable:", err)
		}
	}
}
