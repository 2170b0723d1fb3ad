package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"roundtable/activities"
	"roundtable/activities/embed"
	"roundtable/activities/model"
	"roundtable/activities/model/openai"
	"roundtable/analysis/embedding"
	"roundtable/analysis/embedding/sentence"
	store "roundtable/analysis/lake"
)

// tfidf names the embedder that needs nothing.
const tfidf = "tfidf"

// embedder is an embedder and, if it is behind a service, what that was asked.
type embedder struct {
	embedding.Embedder
	endpoint *embed.Endpoint
}

// newEmbedder is the one list of embedders. Nothing is sent.
func newEmbedder(s store.Store, name, params string) (embedder, error) {
	served, ok := strings.CutPrefix(name, "openai/")
	switch {
	case ok:
		return newServed(s, served, params)
	case params != "{}":
		return embedder{}, fmt.Errorf("--embedder-params are for openai/MODEL, not for %s", name)
	case name == tfidf:
		return embedder{Embedder: embedding.Hashed{}}, nil
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return embedder{}, fmt.Errorf("--embedder is %q, which is no folder; it is %s, openai/MODEL, or the folder of a sentence transformer", name, tfidf)
	}
	m, err := sentence.Open(name, os.Getenv(sentence.LibraryVariable))
	if err != nil {
		return embedder{}, err
	}
	return embedder{Embedder: embedding.Cached{Embedder: m, Store: s}}, nil
}

func newServed(s store.Store, name, params string) (embedder, error) {
	config := openai.Config{Model: name, Timeout: model.Duration(2 * time.Minute)}
	if err := strictly([]byte(params))(&config); err != nil {
		return embedder{}, fmt.Errorf("--embedder-params: %w", err)
	}
	source, err := openai.NewEmbedder(config)
	if err != nil {
		return embedder{}, err
	}
	at := openai.Endpoint(config)
	e := embed.New(fmt.Sprintf("openai/%s at %s", config.Model, at), reached{source, sync.OnceValue(func() error {
		return reachable(activities.Provider{Endpoint: at})
	})})
	return embedder{embedding.Cached{Embedder: e, Store: s}, e}, nil
}

// reached is a service that is looked for before it is asked for the first
// time: one that is not there is told at once, and not tried for a minute.
type reached struct {
	embed.Source
	look func() error
}

func (r reached) Vectors(ctx context.Context, texts []string) ([][]float64, model.Usage, error) {
	if err := r.look(); err != nil {
		return nil, model.Usage{}, err
	}
	return r.Source.Vectors(ctx, texts)
}

// tell says on standard error what a service was asked; texts that were asked
// for before cost nothing.
func (e embedder) tell() {
	if e.endpoint == nil {
		return
	}
	if m := e.endpoint.Meter(); m.Requests > 0 {
		fmt.Fprintf(os.Stderr, "%s: %d texts embedded with %d requests, %d tokens\n", e.Name(), m.Texts, m.Requests, m.InputTokens)
	}
}
