package measurements

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"time"

	"roundtable/activities/calls"
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

// Advise explains an error of vectors that are not bought yet; others it leaves.
func (e embedder) Advise(ctx context.Context, s store.Store, campaign string, err error) error {
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
	return cli.UsageError(fmt.Errorf("%d texts of campaign %s have no embedding by %s yet, and only features buys some: about %s tokens, %s\nfirst: roundtable features %s %s",
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
