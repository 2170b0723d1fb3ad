// Package embedding turns messages into vectors, so that it can be said how far
// apart they are. Distances can be compared only if one embedder made them, so
// each has a name that is recorded and printed with every figure. Hashed needs
// nothing; models are behind the same interface, and Cached keeps what they answered.
package embedding

import "context"

// Embedder turns texts into vectors, one a text and all of the same length. The
// texts of one call are what was said in one collaboration, in its order.
type Embedder interface {
	// Name says everything that vectors depend on besides the texts.
	Name() string
	// Embed may give the vectors of the first texts with an error: they were paid for.
	Embed(ctx context.Context, texts []string) ([][]float64, error)
}
