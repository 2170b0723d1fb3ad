package language

import (
	"context"
	"fmt"
)

// Bought is the name of an embedder that is paid for. It embeds nothing itself: behind Cached it
// gives what was bought before, and a MissingError for the rest.
type Bought string

// Name returns the name: the model, and where it is asked.
func (b Bought) Name() string { return string(b) }

// Embed returns a MissingError.
func (b Bought) Embed(_ context.Context, texts []string) ([][]float64, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	return nil, &MissingError{By: string(b), Texts: len(texts)}
}

// MissingError says that vectors have not been bought yet.
type MissingError struct {
	By    string // the embedder
	Texts int    // of one call of Embed
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%d texts have no embedding by %s yet", e.Texts, e.By)
}
