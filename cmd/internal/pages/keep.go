package pages

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/report"
	"roundtable/analysis/study"
	"roundtable/cmd/internal/analyze"
	"roundtable/cmd/internal/providers"
)

// keepEvery is how often KeepRead looks for parts of a campaign that runs.
const keepEvery = time.Minute

// KeepRead keeps what tables and pages need of the parts of campaign name while it runs, until ctx ends, so
// that nobody waits for it then. That it cannot costs time alone. Nothing is sent to an embedder.
func KeepRead(ctx context.Context, s store.Store, name string) {
	var how analyze.Messages
	how.Flags(&cobra.Command{})
	done := map[string]bool{}
	for tick := time.NewTicker(keepEvery); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		readers := append(study.Readers(), report.ReadWrong())
		if how.Choose(ctx, s, name) == nil && how.Embedder == providers.TFIDF {
			if more, err := how.Trajectories(ctx, s, name); err == nil {
				readers = append(readers, more.Readers...)
			}
		}
		_ = how.Kept().Keep(ctx, s, name, done, readers...)
	}
}
