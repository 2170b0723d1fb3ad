package providers

import (
	"fmt"
	"os"
	"strings"

	"roundtable/analysis/embedding"
	"roundtable/analysis/embedding/sentence"
	"roundtable/analysis/lake/store"
)

// TFIDF names the embedder that needs nothing.
const TFIDF = "tfidf"

// Embedder is an embedder and, if it is behind a service, what buys of it.
type Embedder struct {
	embedding.Embedder
	*RemoteEmbedder // nil if it costs nothing
}

// isServed reports whether an embedder is behind a service.
func isServed(name string) bool { return strings.HasPrefix(name, "openai/") }

// CheckEmbedder checks the name of an embedder. Nothing is sent or loaded.
func CheckEmbedder(name string) error {
	if model, served := strings.CutPrefix(name, "openai/"); name == TFIDF || served && model != "" {
		return nil
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return fmt.Errorf("%q is no folder; accepted are %s, openai/MODEL, and the folder of a sentence transformer", name, TFIDF)
	}
	return nil
}

// Embedder returns the name of a campaign file's embedder, a folder by its
// absolute path, so that it is found from anywhere.
func (b FileFolder) Embedder(name string) (string, error) {
	if _, served := strings.CutPrefix(name, "openai/"); served || name == TFIDF || name == "" {
		return name, nil
	}
	path, err := b.Path(name)
	if err != nil {
		return name, err
	}
	if CheckEmbedder(path) != nil {
		return name, CheckEmbedder(name)
	}
	return path, nil
}

// NewEmbedder returns the embedder of a name, and is the one list of them. Nothing is sent.
func NewEmbedder(s store.Store, name, params string) (Embedder, error) {
	served, ok := strings.CutPrefix(name, "openai/")
	switch {
	case ok:
		return newRemoteEmbedder(s, served, params)
	case params != "{}":
		return Embedder{}, fmt.Errorf("--embedder-params are for openai/MODEL, not for %s", name)
	case name == TFIDF || name == "":
		return Embedder{Embedder: embedding.Hashed{}}, nil
	}
	if err := CheckEmbedder(name); err != nil {
		return Embedder{}, fmt.Errorf("--embedder: %w", err)
	}
	m, err := sentence.Open(name, os.Getenv(sentence.LibraryVariable))
	if err != nil {
		return Embedder{}, err
	}
	return Embedder{Embedder: embedding.Cached{Embedder: m, Store: s}}, nil
}
