package analyze

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"roundtable/activities"
	"roundtable/activities/calls"
	"roundtable/activities/failure"
	"roundtable/activities/model"
	"roundtable/activities/model/openai"
	"roundtable/activities/model/wire"
	"roundtable/activities/money"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	recorded "roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
	"roundtable/analysis/study"
	"roundtable/analysis/study/discussion"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/envs"
	"roundtable/infra"
	"roundtable/workflows/task"
)

// remoteEmbedder is an embedder behind a service. Tables and figures take what is in the
// lake; only features buys what is missing.
type remoteEmbedder struct {
	language.Cached
	flags    string // that name it
	provider model.Provider
	source   calls.EmbeddingSource
	err      error // why it cannot be asked: a key is missing, say
}

func newRemoteEmbedder(s store.Store, name, params string) (embedder, error) {
	config := openai.Config{Model: name, Timeout: model.Duration(2 * time.Minute)}
	if err := envs.DecodeStrict([]byte(params))(&config); err != nil {
		return embedder{}, fmt.Errorf("--embedder-params: %w", err)
	}
	at := openai.Endpoint(config)
	name = "openai/" + config.Model
	e := &remoteEmbedder{
		Cached:   language.Cached{Embedder: language.Bought(name + " at " + at), Store: s},
		flags:    "--embedder " + name,
		provider: model.Provider{Name: name, Endpoint: at, Account: providers.AccountOf(at, config.APIKeyEnv, name)},
	}
	if params != "{}" {
		e.flags += " --embedder-params '" + params + "'"
	}
	e.source, e.err = openai.NewEmbedder(config)
	return embedder{e.Cached, e}, nil
}

// textsCompared returns the texts of a campaign that are compared with each other: the messages
// of each collaboration, and what discussions are compared by.
func textsCompared(ctx context.Context, s store.Store, d lake.Dataset) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for rows, err := range lake.Collaborations(ctx, s, d, record.Turns) {
			if !yield(language.TextsOf(rows.Turns), err) || err != nil {
				return
			}
		}
		if said, err := textsOfDiscussions(ctx, s, d.Campaign); len(said) > 0 || err != nil {
			yield(said, err)
		}
	}
}

// textsOfDiscussions returns what discussions are compared by; other campaigns have none.
func textsOfDiscussions(ctx context.Context, s store.Store, name string) ([]string, error) {
	p, _, err := recorded.ReadRecorded(ctx, s, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, c := range p.Campaign.Conditions {
		if c.Protocol.Name == "discussion" {
			all, err := campaign.Load(ctx, s, name, study.Readers()...)
			return discussion.Statements(all), err
		}
	}
	return nil, nil
}

// advise explains an error of vectors that are not bought yet; others it leaves.
func (e embedder) advise(ctx context.Context, s store.Store, campaign string, err error) error {
	if _, missing := errors.AsType[*language.MissingError](err); !missing {
		return err
	}
	if e.err != nil && !errors.Is(e.err, wire.ErrNoKey) { // a key is only for who buys
		return cli.UsageError(e.err)
	}
	d, err := lake.ReadDataset(ctx, s, campaign)
	if err != nil {
		return err
	}
	n, size, err := e.countOutstanding(ctx, s, d)
	if err != nil {
		return err
	}
	cost := "at a price that is not known"
	if price, err := providers.PriceFor(ctx, s, campaign, e.provider, true, ""); err == nil && price != nil {
		cost = fmt.Sprintf("$%.4f", money.Cost(*price, model.Usage{Input: size / bytesOfToken}))
	}
	return cli.UsageError(fmt.Errorf("%d texts of campaign %s have no embedding by %s yet, and only features buys "+
		"some: about %s tokens, %s\nfirst: roundtable features %s %s",
		n, campaign, e.Name(), cli.Abbreviate(size/bytesOfToken), cost, campaign, e.flags))
}

// bytesOfToken is what English has, about.
const bytesOfToken = 4

// countOutstanding returns how many different texts are still to be bought, and their bytes.
func (e *remoteEmbedder) countOutstanding(ctx context.Context, s store.Store, d lake.Dataset) (n int,
	size int64, err error) {
	seen := map[[sha256.Size]byte]bool{}
	for group, err := range textsCompared(ctx, s, d) {
		if err == nil {
			group, err = e.Missing(ctx, group)
		}
		if err != nil {
			return n, size, err
		}
		for _, text := range group {
			if hash := sha256.Sum256([]byte(text)); !seen[hash] {
				seen[hash] = true
				n, size = n+1, size+int64(len(text))
			}
		}
	}
	return n, size, nil
}

// embedder is an embedder and, if it is behind a service, what buys of it.
type embedder struct {
	language.Embedder
	*remoteEmbedder // nil if it costs nothing
}

// newEmbedder returns the embedder of a name. Nothing is sent.
func newEmbedder(s store.Store, name, params string) (embedder, error) {
	if model, served := strings.CutPrefix(name, "openai/"); served {
		return newRemoteEmbedder(s, model, params)
	}
	if params != "{}" {
		return embedder{}, fmt.Errorf("--embedder-params are for openai/MODEL, not for %s", name)
	}
	e, err := providers.OpenEmbedder(s, name)
	return embedder{Embedder: e}, err
}

// PriceFlags are the flags for the price of embeddings.
type PriceFlags struct {
	*cli.Options
	price       string
	costUnknown bool
}

// Flags defines the flags on a command.
func (b *PriceFlags) Flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&b.price, "price", "",
		"what openai/MODEL costs, in US dollars for a million tokens: {\"input\": 0.02} (default: the campaign's "+
			"prices, or the built-in table)")
	cmd.Flags().BoolVar(&b.costUnknown, "cost-unknown", false, "allow a model whose price is unknown")
}

// embeddingUsage is what a service was asked for, and its cost.
type embeddingUsage struct {
	calls.EmbeddingMeter
	CostUSD *float64 `json:"cost_usd"` // null if a price is not known
}

// buy requests the embeddings that texts of a campaign lack, and returns what that took. If none is missing,
// it opens nothing and needs no price.
func (b PriceFlags) buy(ctx context.Context, s store.Store, d lake.Dataset, e *remoteEmbedder) (embeddingUsage, error) {
	budget := &embeddingBudget{PriceFlags: b, remoteEmbedder: e, store: s, campaign: d.Campaign}
	defer budget.close()
	budget.opened = sync.OnceValues(func() (calls.EmbeddingSource, error) { return budget.open(ctx) })
	endpoint := calls.NewEmbeddings(e.Name(), budget)
	err := withProgress(endpoint, func() error { return endpoint.Fetch(ctx, textsCompared(ctx, s, d), e.Missing) })
	bought := budget.sum(endpoint.Meter())
	bought.print(e.Name())
	switch f, stopped := errors.AsType[*failure.Failure](err); {
	case ctx.Err() != nil:
		return bought, cli.InterruptedError(errors.New("interrupted: what was bought is kept\nresume with: the " +
			"same command"))
	case stopped && f.Type == task.ErrPause:
		return bought, cli.IncompleteError(fmt.Errorf("embedding stopped: %s\nresume with: the same command",
			f.Message))
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

// embeddingBudget takes the campaign for this process when the first batch is to be paid for.
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
func (t *embeddingBudget) requestPrice(ctx context.Context) (*recorded.Price, error) {
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
	price := recorded.Price{Input: *given.Input, Output: given.Output}
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
