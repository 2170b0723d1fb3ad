package lake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"roundtable/analysis/lake/store"

	"golang.org/x/sync/errgroup"
)

// About is the folder of the objects that describe campaigns and how they are run.
const About = "lake/_campaigns/"

// AboutKey returns the key of the object called name that describes a campaign.
func AboutKey(campaign, name string) string { return About + campaign + "/" + name }

// Success says that every cell of a plan has ended, or that all was imported: the object _SUCCESS.
type Success struct {
	Revision string `json:"revision"` // of the plan, or campaign.ImportedRevision
	Digest   string `json:"digest"`   // of the rows, see Digest
}

// SuccessKey returns the key of a campaign's Success.
func SuccessKey(campaign string) string { return AboutKey(campaign, "_SUCCESS") }

// Bytes returns the content of the object.
func (s Success) Bytes() []byte {
	return fmt.Appendf(nil, "{\"revision\": %q, \"digest\": %q}\n", s.Revision, s.Digest)
}

// ReadSuccess returns a campaign's Success; the zero value if it has none yet. A damaged one is
// store.ErrCorrupt.
func ReadSuccess(ctx context.Context, objects store.Store, campaign string) (s Success, err error) {
	key := SuccessKey(campaign)
	data, err := objects.Get(ctx, key)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil || string(s.Bytes()) != string(data) {
		return Success{}, fmt.Errorf("%s: %w: it is not as it was written", key, store.ErrCorrupt)
	}
	return s, nil
}

// readersAtOnce wait for a store that may be far away.
const readersAtOnce = 16

// Each calls do for each i from 0 to n-1, some at once, and returns the first error, which ends ctx
// for the rest.
func Each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(readersAtOnce)
	for i := range n {
		g.Go(func() error { return do(ctx, i) })
	}
	return g.Wait()
}
