package main

import (
	"fmt"
	"os"
	"strings"

	"roundtable/analysis/embedding"
	"roundtable/analysis/embedding/sentence"
	"roundtable/analysis/storage"
)

// tfidf names the embedder that needs nothing.
const tfidf = "tfidf"

// embedder is an embedder and, if it is behind a service, what buys of it.
type embedder struct {
	embedding.Embedder
	*served // nil if it costs nothing
}

// knownEmbedder checks the name of an embedder. Nothing is sent or loaded.
func knownEmbedder(name string) error {
	if model, served := strings.CutPrefix(name, "openai/"); name == tfidf || served && model != "" {
		return nil
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return fmt.Errorf("%q is no folder; accepted are %s, openai/MODEL, and the folder of a sentence transformer", name, tfidf)
	}
	return nil
}

// embedder returns the name of a campaign file's embedder, a folder by its
// absolute path, so that it is found from anywhere.
func (b fileFolder) embedder(name string) (string, error) {
	if _, served := strings.CutPrefix(name, "openai/"); served || name == tfidf || name == "" {
		return name, nil
	}
	path, err := b.path(name)
	if err != nil {
		return name, err
	}
	if knownEmbedder(path) != nil {
		return name, knownEmbedder(name)
	}
	return path, nil
}

// newEmbedder is the one list of embedders. Nothing is sent.
func newEmbedder(s storage.Store, name, params string) (embedder, error) {
	served, ok := strings.CutPrefix(name, "openai/")
	switch {
	case ok:
		return newServed(s, served, params)
	case params != "{}":
		return embedder{}, fmt.Errorf("--embedder-params are for openai/MODEL, not for %s", name)
	case name == tfidf || name == "":
		return embedder{Embedder: embedding.Hashed{}}, nil
	}
	if err := knownEmbedder(name); err != nil {
		return embedder{}, fmt.Errorf("--embedder: %w", err)
	}
	m, err := sentence.Open(name, os.Getenv(sentence.LibraryVariable))
	if err != nil {
		return embedder{}, err
	}
	return embedder{Embedder: embedding.Cached{Embedder: m, Store: s}}, nil
}
