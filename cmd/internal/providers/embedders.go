package providers

import (
	"fmt"
	"os"
	"strings"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
	"roundtable/analysis/language/sentence"
)

// TFIDF names the embedder that needs nothing.
const TFIDF = "tfidf"

// isServed reports whether an embedder is behind a service.
func isServed(name string) bool { return strings.HasPrefix(name, "openai/") }

// CheckEmbedder checks the name of an embedder. Nothing is sent or loaded.
func CheckEmbedder(name string) error {
	if model, served := strings.CutPrefix(name, "openai/"); name == TFIDF || served && model != "" {
		return nil
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return fmt.Errorf("%q is not a folder; expected %s, openai/MODEL, or the folder of a sentence transformer", name, TFIDF)
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

// OpenEmbedder returns an embedder that is computed here: TFIDF, or the folder of a
// sentence transformer.
func OpenEmbedder(s store.Store, name string) (language.Embedder, error) {
	if name == TFIDF || name == "" {
		return language.Hashed{}, nil
	}
	if err := CheckEmbedder(name); err != nil {
		return nil, fmt.Errorf("--embedder: %w", err)
	}
	m, err := sentence.Open(name, os.Getenv(sentence.LibraryVariable))
	if err != nil {
		return nil, err
	}
	return language.Cached{Embedder: m, Store: s}, nil
}
