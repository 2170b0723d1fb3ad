package measurements

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/temporal"

	"roundtable/activities/calls"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows/task"
)

// PriceFlags are the flags that say what embeddings cost.
type PriceFlags struct {
	*cli.Options
	price       string
	costUnknown bool
}

// Flags defines the flags of prices.
func (b *PriceFlags) Flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&b.price, "price", "",
		"what openai/MODEL costs, in US dollars for a million tokens: {\"input\": 0.02} (default: the campaign's prices, or the built-in table)")
	cmd.Flags().BoolVar(&b.costUnknown, "cost-unknown", false, "allow a model whose price is unknown")
}

// embeddingUsage is what a service was asked for, and its cost.
type embeddingUsage struct {
	calls.EmbeddingMeter
	CostUSD *float64 `json:"cost_usd"` // null if a price is not known
}

// Buy asks for the vectors that texts of a campaign lack. Nothing is opened,
// and no price needed, while none is missing.
func (b PriceFlags) Buy(ctx context.Context, s store.Store, d lake.Dataset, e *remoteEmbedder) (embeddingUsage, error) {
	budget := &embeddingBudget{PriceFlags: b, remoteEmbedder: e, store: s, campaign: d.Campaign}
	defer budget.close()
	budget.opened = sync.OnceValues(func() (calls.EmbeddingSource, error) { return budget.open(ctx) })
	endpoint := calls.NewEmbeddings(e.Name(), budget)
	err := withProgress(endpoint, func() error { return endpoint.Fetch(ctx, textsCompared(ctx, s, d), e.Missing) })
	bought := budget.sum(endpoint.Meter())
	bought.print(e.Name())
	switch app, stopped := errors.AsType[*temporal.ApplicationError](err); {
	case ctx.Err() != nil:
		return bought, cli.InterruptedError(errors.New("interrupted: what was bought is kept\nresume with: the same command"))
	case stopped && app.Type() == task.ErrPause:
		return bought, cli.IncompleteError(fmt.Errorf("embedding stopped: %s\nresume with: the same command",
			app.Message()))
	}
	return bought, err
}

// withProgress prints every few seconds how many texts an endpoint has embedded.
func withProgress(endpoint *calls.Embeddings, fetch func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- fetch() }()
	tick := time.NewTicker(cli.PlainEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return err
		case <-tick.C:
			m := endpoint.Meter()
			fmt.Fprintf(os.Stderr, "%d texts embedded, %s tokens\n", m.Texts, cli.Abbreviate(m.InputTokens))
		}
	}
}

// print writes to standard error what was asked for.
func (p embeddingUsage) print(name string) {
	if p.Requests == 0 {
		return
	}
	cost := "at a price that is not known"
	if p.CostUSD != nil {
		cost = fmt.Sprintf("$%.4f", *p.CostUSD)
	}
	fmt.Fprintf(os.Stderr, "%s: %d texts embedded with %d requests, %d tokens, %s\n", name, p.Texts, p.Requests,
		p.InputTokens, cost)
}
