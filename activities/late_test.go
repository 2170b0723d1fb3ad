package activities_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"roundtable/activities"
	"roundtable/activities/laketest"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/task"
)

// late is a store that does not list the last of a campaign's commits yet.
type late struct{ store.Store }

func (l late) List(ctx context.Context, prefix string) ([]store.Object, error) {
	all, err := l.Store.List(ctx, prefix)
	if strings.HasPrefix(prefix, "raw/_commits/") && len(all) > 0 {
		all = slices.Delete(all, len(all)-1, len(all))
	}
	return all, err
}

// A store that lists objects late makes nobody seal or read fewer collaborations than
// have ended.
func TestListedLate(t *testing.T) {
	t.Parallel()
	s := storetest.NewMemory(map[string]string{})
	text := "{name: late, env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader, replicates: 3}"
	noError(t, laketest.Play(ctx, s, text, 0))
	p, _, err := campaign.ReadRecorded(ctx, s, "late")
	noError(t, err)
	seal := func(s store.Store) error {
		a := activities.New(activities.Config{Store: s, Plugins: catalogue.Builtin(), Models: laketest.Policy})
		_, err := a.Seal(ctx, task.Sealing{Campaign: "late", Revision: p.Campaign.Revision()})
		return err
	}
	if err := seal(late{s}); err == nil || !strings.Contains(err.Error(), "lists 2 of 3") {
		t.Errorf("sealed by a late listing: %v", err)
	}
	if _, sealed := s.Objects[lake.SuccessKey("late")]; sealed {
		t.Error("it is sealed")
	}
	noError(t, campaign.CheckPlanned(ctx, late{s}, "late")) // it may still run
	noError(t, seal(s))
	noError(t, campaign.CheckPlanned(ctx, s, "late"))
	if err := campaign.CheckPlanned(ctx, late{s}, "late"); err == nil || !strings.Contains(err.Error(), "lists 2 of them") {
		t.Errorf("read by a late listing: %v", err)
	}
}
