package main

import (
	"fmt"
	"os"
	"strings"

	"roundtable/analysis/embedding"
	"roundtable/analysis/embedding/sentence"
	store "roundtable/analysis/lake"
)

// tfidf names the embedder that needs nothing.
const tfidf = "tfidf"

// embedder is an embedder and, if it is behind a service, what buys of it.
type embedder struct {
	embedding.Embedder
	*served // nil if it costs nothing
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
