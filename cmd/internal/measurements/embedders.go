package measurements

import (
	"fmt"
	"strings"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/language"
	"roundtable/cmd/internal/providers"
)

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
