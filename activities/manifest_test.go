package activities_test

import (
	"strings"
	"testing"

	"roundtable/activities"
	"roundtable/analysis/lake/campaign"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/transcript"
)

// Limits that are lost are not taken for none: the campaign pauses until they
// are there again, and a worker that never saw them asks nothing.
func TestLostLimitsPause(t *testing.T) {
	t.Parallel()
	s := newLake(t)
	p := recordPlan(t, s, yaml("lost", 2, 1, "replicates: 2", "generate: {max_tokens: 100}"))
	limit(t, s, p, plan.Limits{CostUSD: dollars(1)})
	m := saying(polite)
	a := newActivities(s, m, noCache)
	take(t, a, ref(p, 0), 0)
	noError(t, s.Delete(ctx, campaign.ManifestKey("lost")))
	activities.AgeManifests(a)
	for name, worker := range map[string]*activities.Activities{"one that knew them": a, "a new one": newActivities(s, m, noCache)} {
		_, err := do[transcript.Act](t, worker, task.TakeTurn, task.Turn{Ref: ref(p, 1)})
		if app := application(t, err); app.Type() != task.ErrPause || !strings.Contains(app.Message(), "lake/_campaigns/lost/manifest.json") {
			t.Errorf("%s: %v", name, err)
		}
	}
	same(t, m.count(), 1)
	limit(t, s, p, plan.Limits{CostUSD: dollars(1)})
	take(t, a, ref(p, 1), 0)
	same(t, m.count(), 2)
}
