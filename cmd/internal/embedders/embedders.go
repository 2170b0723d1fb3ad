// Package embedders opens what information distances rest on, and buys the vectors of those
// that are behind a service. It knows which texts tables compare, so it belongs to those who
// read a campaign; what measures on the way is providers'.
package embedders

import (
	"fmt"
	"strings"

	"roundtable/analysis/embedding"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/providers"
)

// Embedder is an embedder and, if it is behind a service, what buys of it.
type Embedder struct {
	embedding.Embedder
	*RemoteEmbedder // nil if it costs nothing
}

// New returns the embedder of a name. Nothing is sent.
func New(s store.Store, name, params string) (Embedder, error) {
	if model, served := strings.CutPrefix(name, "openai/"); served {
		return newRemoteEmbedder(s, model, params)
	}
	if params != "{}" {
		return Embedder{}, fmt.Errorf("--embedder-params are for openai/MODEL, not for %s", name)
	}
	e, err := providers.OpenEmbedder(s, name)
	return Embedder{Embedder: e}, err
}
