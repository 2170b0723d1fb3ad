package campaigns

import (
	"context"
	"slices"

	"roundtable/activities/asking"
	"roundtable/activities/recorded"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/workflows/task"
)

// NeedsNothing reports whether no cell that was not needed for a campaign's question has to
// run now: for a harder question, or because there is none any more.
func NeedsNothing(ctx context.Context, s storage.Store, p recorded.Plan, m recorded.Manifest) bool {
	outcomes, err := lake.Progress(ctx, s, p.Campaign.Name)
	if err != nil || !slices.ContainsFunc(lake.LatestOutcomes(outcomes), func(o lake.Outcome) bool { return o.Reason == task.Answered }) {
		return err == nil
	}
	if m.Until == nil {
		return false
	}
	state, err := asking.NewReader(s).Read(ctx, p.Campaign, *m.Until, nil)
	return err == nil && state.IsDone()
}
