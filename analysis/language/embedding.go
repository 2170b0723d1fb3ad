package language

import "context"

// Embedder turns texts into vectors, one a text and all of the same length. The
// texts of one call are what was said in one collaboration, in its order.
type Embedder interface {
	// Name says everything that vectors depend on besides the texts.
	Name() string
	// Embed may give the vectors of the first texts with an error: they were paid for.
	Embed(ctx context.Context, texts []string) ([][]float64, error)
}
