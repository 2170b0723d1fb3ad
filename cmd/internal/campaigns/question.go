package campaigns

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"slices"

	"roundtable/activities/asking"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/task"
)

// NeedsNothing reports whether no cell that was not needed for a campaign's question has to
// run now: for a harder question, or because there is none any more. A campaign that was
// cancelled goes on only if that is requested.
func NeedsNothing(ctx context.Context, s store.Store, p campaign.Plan, m campaign.Manifest) bool {
	if some, err := hasUnneeded(ctx, s, p.Campaign.Name); err != nil || !some {
		return err == nil
	}
	if m.Until == nil {
		return false
	}
	state, err := asking.NewReader(s).Read(ctx, p.Campaign, *m.Until, nil)
	return err == nil && (state.IsDone() || state.Cancelled > 0)
}

// hasUnneeded reports whether some cell was stopped because the question was answered.
func hasUnneeded(ctx context.Context, s store.Store, campaign string) (bool, error) {
	latest, err := lake.LatestProgress(ctx, s, campaign)
	return slices.ContainsFunc(latest, func(o lake.Outcome) bool { return o.Reason == task.Answered }), err
}

// KeepAhead leaves the number of units under way at once as it was where the question is
// else the same and needs nothing any more: with more of them it would need cells that its
// answer has no use for. It returns what the file asks for; 0 if nothing is kept.
func KeepAhead(ctx context.Context, s store.Store, p campaign.Plan, m *campaign.Manifest) (asked int, err error) {
	stored, err := campaign.ReadManifest(ctx, s, m.Campaign)
	if errors.Is(err, fs.ErrNotExist) || err == nil &&
		(stored.Until == nil || m.Until == nil || stored.Until.Ahead == m.Until.Ahead) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	same := *m.Until
	same.Ahead = stored.Until.Ahead
	if !reflect.DeepEqual(*stored.Until, same) {
		return 0, nil
	}
	if some, err := hasUnneeded(ctx, s, m.Campaign); err != nil || !some {
		return 0, err
	}
	state, err := asking.NewReader(s).Read(ctx, p.Campaign, same, nil)
	if err != nil || !state.IsDone() {
		return 0, err
	}
	asked, m.Until = m.Until.Ahead, &same
	return asked, nil
}
