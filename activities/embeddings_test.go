package activities_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/activities"
	"roundtable/activities/calls"
	"roundtable/activities/failure"
	"roundtable/activities/ledger"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// counter sells vectors at a dollar for a million tokens: a token for each byte,
// which is all that a request may cost, or now and then for four. Every tenth
// request breaks after it was billed.
type counter struct {
	t       *testing.T
	allowed int64 // nano-dollars

	mu     sync.Mutex
	calls  int
	billed int64
	kept   map[string]bool
	twice  int // texts asked for that were kept
	fault  func(n int) (model.Usage, error)
}

func (c *counter) Vectors(_ context.Context, texts []string) ([][]float64, model.Usage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls++
	var used model.Usage
	for _, text := range texts {
		used.Input += int64(len(text) + 16)
		if c.kept[text] {
			c.twice++
		}
	}
	if used.Input += 64; c.calls%3 == 0 {
		used.Input /= 4
	}
	if c.fault != nil {
		if u, err := c.fault(c.calls); err != nil {
			return nil, u, err
		}
	}
	if c.billed += used.Input * 1000; c.billed > c.allowed {
		c.t.Errorf("billed %d nano-dollars of %d", c.billed, c.allowed)
	}
	if c.calls%10 == 0 {
		return nil, model.Usage{}, &model.Error{Class: model.Retry, Code: "connection_error"}
	}
	if c.calls%7 == 0 {
		used = model.Usage{} // it does not say
	}
	return make([][]float64, len(texts)), used, nil
}

func (c *counter) keep(_ context.Context, texts []string, _ [][]float64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range texts {
		c.kept[text] = true
	}
	return nil
}

func (c *counter) missing(_ context.Context, texts []string) (left []string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, text := range texts {
		if !c.kept[text] {
			left = append(left, text)
		}
	}
	return left, nil
}

// process is one that buys for the campaign spoken.
func (c *counter) process(t *testing.T, s store.Store, price *campaign.Price) (*activities.Activities, calls.EmbeddingSource) {
	t.Helper()
	a := activities.New(activities.Config{Store: s, Alone: true})
	source, err := a.Embeddings(ctx, calls.Embedding{
		Campaign: "spoken", ID: "openai-m-00", Price: price, Source: c, Keep: c.keep,
		Provider: model.Provider{Name: "openai/m", Endpoint: "http://localhost/v1", Account: "m"},
	})
	noError(t, err)
	return a, source
}

// spoken is a lake whose campaign spoken has these limits.
func spoken(t *testing.T, l plan.Limits) *spy {
	s := newLake(t)
	noError(t, campaign.WriteManifest(ctx, s, campaign.Manifest{Campaign: "spoken", Limits: l}))
	return s
}

// lines are n groups of 50 texts of about 500 bytes.
func lines(n int) iter.Seq2[[]string, error] {
	return func(yield func([]string, error) bool) {
		for g := range n {
			texts := make([]string, 50)
			for i := range texts {
				texts[i] = fmt.Sprintf("%d %s", 50*g+i, strings.Repeat("x", 500))
			}
			if !yield(texts, nil) {
				return
			}
		}
	}
}

func spent(t *testing.T, s store.Store) money.Amount {
	t.Helper()
	sum, err := ledger.ReadSpent(ctx, s, "spoken")
	noError(t, err)
	return sum
}

// Batches at once never cost more than the cap, whatever fails; a new process
// knows what one that died has spent; a raised cap is used, and nothing that was
// kept is bought again. All of it costs some $1.1.
func TestEmbeddingsUnderACap(t *testing.T) {
	t.Parallel()
	s := spoken(t, plan.Limits{CostUSD: dollars(0.6)})
	c := &counter{t: t, allowed: 600_000_000, kept: map[string]bool{}}
	for range 2 { // each process dies without a word
		_, source := c.process(t, s, &campaign.Price{Input: 1})
		err := calls.NewEmbeddings("m", source).Fetch(ctx, lines(40), c.missing)
		app, ok := errors.AsType[*failure.Failure](err)
		if !ok || app.Type != task.ErrPause || !strings.Contains(app.Message, "budget reached") || !strings.Contains(app.Message, "resume spoken --cost-usd") {
			t.Fatalf("it ends with %v", err)
		}
	}
	if sum := spent(t, s); sum.NanoUSD > c.allowed || sum.NanoUSD < c.allowed-72_000_000 || sum.NanoUSD < c.billed {
		t.Errorf("%v are charged of $0.60, %d nano-dollars are billed", sum, c.billed)
	}
	c.allowed = 10e9
	noError(t, campaign.WriteManifest(ctx, s, campaign.Manifest{Campaign: "spoken", Limits: plan.Limits{CostUSD: dollars(10)}}))
	a, source := c.process(t, s, &campaign.Price{Input: 1})
	noError(t, calls.NewEmbeddings("m", source).Fetch(ctx, lines(40), c.missing))
	noError(t, a.Close(ctx))
	if len(c.kept) != 2000 || c.twice > 0 {
		t.Errorf("%d texts are kept, %d were bought again", len(c.kept), c.twice)
	}
	shared, err := ledger.Open(ctx, s, "spoken").ReadShared(ctx)
	noError(t, err)
	billed := shared.Embeddings
	if len(billed) != 1 || len(billed["openai-m-00"]) != c.calls {
		t.Errorf("%d calls were made, the ledger has %d of %d embedders", c.calls, len(billed["openai-m-00"]), len(billed))
	}
	for _, call := range billed["openai-m-00"] {
		if call.ModelAsked != "openai/m" || (call.CostUSD == nil) != (call.WorstUSD != nil) || call.Status == "unknown" && call.WorstUSD == nil {
			t.Errorf("%+v", call)
		}
	}
}

// A cap of tokens holds without a price; without a cap nothing is refused.
func TestEmbeddingsWithoutAPrice(t *testing.T) {
	t.Parallel()
	c := &counter{t: t, allowed: 1e15, kept: map[string]bool{}}
	s := spoken(t, plan.Limits{Tokens: 300_000})
	_, source := c.process(t, s, nil)
	err := calls.NewEmbeddings("m", source).Fetch(ctx, lines(20), c.missing)
	if err == nil || !strings.Contains(err.Error(), "--tokens") {
		t.Errorf("it ends with %v", err)
	}
	if sum := spent(t, s); sum.Tokens > 300_000 || sum.Tokens < 220_000 || sum.NanoUSD != 0 {
		t.Errorf("%v are charged", sum)
	}
	_, source = c.process(t, spoken(t, plan.Limits{}), nil)
	noError(t, calls.NewEmbeddings("m", source).Fetch(ctx, lines(20), c.missing))
	billed := c.calls
	_, source = c.process(t, spoken(t, plan.Limits{CostUSD: dollars(1)}), nil)
	if err := calls.NewEmbeddings("m", source).Fetch(ctx, lines(21), c.missing); err == nil || !strings.Contains(err.Error(), "the price of a model that it asks is not known") || c.calls != billed {
		t.Errorf("a cap in dollars and no price: %v", err)
	}
}

// The price that was given for the embedder counts, not the manifest's: a cap
// would not hold under a price that is out of date.
func TestEmbeddingsAtAGivenPrice(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	noError(t, campaign.WriteManifest(ctx, s, campaign.Manifest{Campaign: "spoken", Prices: map[string]campaign.Price{"openai/m": {Input: 1}}}))
	for _, c := range []struct {
		given *campaign.Price
		nano  int64 // in all, at 81 tokens a request
	}{{nil, 81_000}, {&campaign.Price{Input: 3}, 4 * 81_000}} {
		_, source := (&counter{t: t, allowed: 1e9, kept: map[string]bool{}}).process(t, s, c.given)
		if _, _, err := source.Vectors(ctx, []string{"a"}); err != nil || spent(t, s).NanoUSD != c.nano {
			t.Errorf("at %+v: %v, %v are charged in all", c.given, err, spent(t, s))
		}
	}
}

// What was certainly not billed is given back; what cannot be kept is of unknown
// outcome, and so is a bill for nothing.
func TestEmbeddingsThatFail(t *testing.T) {
	t.Parallel()
	s := spoken(t, plan.Limits{CostUSD: dollars(1)})
	c := &counter{t: t, allowed: 1e9, kept: map[string]bool{}}
	_, source := c.process(t, s, &campaign.Price{Input: 1})
	wrong := &model.Error{Class: model.Pause, Status: 401, Unbilled: true}
	c.fault = func(int) (model.Usage, error) { return model.Usage{}, wrong }
	if _, _, err := source.Vectors(ctx, []string{"a"}); !errors.Is(err, wrong) || spent(t, s) != (money.Amount{}) {
		t.Errorf("%v; %v are charged for a wrong key", err, spent(t, s))
	}
	strange := &model.Error{Class: model.Retry, Status: 200, Code: "strange_content"}
	c.fault = func(int) (model.Usage, error) { return model.Usage{Input: 5}, strange }
	if _, used, err := source.Vectors(ctx, []string{"a"}); !errors.Is(err, strange) || used.Input != 5 || spent(t, s).Tokens != 81 {
		t.Errorf("%v; %v are charged for what is of no use", err, spent(t, s))
	}
	c.fault = nil
	synctest.Test(t, func(t *testing.T) { unkept(t, s, c) }) // it is tried for more than a minute
	ledgered, err := ledger.Open(ctx, s, "spoken").ReadShared(ctx)
	noError(t, err)
	for by, all := range ledgered.Embeddings {
		if len(all) != 1 || all[0].Status != "unknown" {
			t.Errorf("%s: %+v", by, all)
		}
	}
	if _, err := activities.New(activities.Config{Store: s}).Embeddings(ctx, calls.Embedding{Campaign: "nobody"}); err == nil || !strings.Contains(err.Error(), "roundtable run FILE") {
		t.Errorf("a campaign without limits: %v", err)
	}
}

// unkept buys a vector that cannot be kept.
func unkept(t *testing.T, s store.Store, c *counter) {
	t.Helper()
	full := errors.New("the disk is full")
	a := activities.New(activities.Config{Store: s, Alone: true})
	source, err := a.Embeddings(ctx, calls.Embedding{
		Campaign: "spoken", ID: "x", Price: &campaign.Price{Input: 1}, Source: c,
		Provider: model.Provider{Name: "openai/m", Endpoint: "http://localhost/v1", Account: "m"},
		Keep:     func(context.Context, []string, [][]float64) error { return full },
	})
	noError(t, err)
	if _, _, err := source.Vectors(ctx, []string{"a"}); !errors.Is(err, full) || spent(t, s).Tokens != 162 {
		t.Errorf("%v; %v are charged for what is lost", err, spent(t, s))
	}
}

// Vectors that are paid for outlive a minute in which the store takes nothing:
// else their texts would be bought again.
func TestPaidVectorsOutliveAnOutage(t *testing.T) {
	t.Parallel()
	s := spoken(t, plan.Limits{CostUSD: dollars(1)})
	synctest.Test(t, func(t *testing.T) {
		c := &counter{t: t, allowed: 1e9, kept: map[string]bool{}}
		up := time.Now().Add(time.Minute)
		source, err := activities.New(activities.Config{Store: s, Alone: true}).Embeddings(ctx, calls.Embedding{
			Campaign: "spoken", ID: "x", Price: &campaign.Price{Input: 1}, Source: c,
			Provider: model.Provider{Name: "openai/m", Endpoint: "http://localhost/v1", Account: "m"},
			Keep: func(ctx context.Context, texts []string, vectors [][]float64) error {
				if time.Now().Before(up) {
					return errors.New("503")
				}
				return c.keep(ctx, texts, vectors)
			},
		})
		noError(t, err)
		if _, _, err := source.Vectors(ctx, []string{"a"}); err != nil || !c.kept["a"] || c.calls != 1 || spent(t, s).Tokens != 81 {
			t.Errorf("%v: kept %v after %d calls, %v are charged", err, c.kept, c.calls, spent(t, s))
		}
	})
}
