package integrity

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"roundtable/activities"
	"roundtable/activities/labels"
	"roundtable/activities/laketest"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/envs"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// without is a store that does not list one object yet.
type without struct {
	store.Store
	key string
}

func (w without) List(ctx context.Context, prefix string) ([]store.Object, error) {
	all, err := w.Store.List(ctx, prefix)
	return slices.DeleteFunc(all, func(o store.Object) bool { return o.Key == w.key }), err
}

// What a store has and does not list is told, and not called wrong; what it does not have is, by its name.
func TestUnlisted(t *testing.T) {
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	must(t, laketest.Play(ctx, s, "{name: c, env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader, replicates: 2}", 0))
	p, _, err := campaign.ReadRecorded(ctx, s, "c")
	must(t, err)
	a := activities.New(activities.Config{Store: s, Plugins: catalogue.Builtin(), Models: laketest.Policy})
	label(t, s)
	for i, key := range money.LogKeys("c", 2) {
		must(t, lake.WriteSettlement(ctx, s, "c", lake.Settlement{Evidence: fmt.Sprint(i)}))
		log, err := lake.Seal(key, map[string]string{"kind": "recount"})
		must(t, err)
		must(t, s.PutIfAbsent(ctx, key, log))
	}
	v, err := Check(ctx, without{s, money.LogKeys("c", 2)[1]}, catalogue.Builtin(), "c") // nothing has counted it yet
	if err != nil || !v.OK {
		t.Errorf("the last entry of a log is not listed: %v, %+v", err, v.Findings)
	}
	_, err = a.Seal(ctx, task.Sealing{Campaign: "c", Revision: p.Campaign.Revision()})
	must(t, err)
	seen := map[string]int{}
	for _, key := range slices.Sorted(maps.Keys(s.Objects)) {
		kind := ""
		for _, folder := range []string{"raw/_commits/campaign=c/", "raw/_commits/labels/", "lake/_manifests/",
			"lake/_campaigns/c/settlements/", "budget/", "answers/campaign=c/", "answers/campaign=c/labels"} {
			if strings.HasPrefix(key, folder) {
				kind = folder
			}
		}
		if seen[kind]++; kind == "" || seen[kind] > 2 {
			continue
		}
		v, err := Check(ctx, without{s, key}, catalogue.Builtin(), "c")
		if err != nil || !v.OK || v.Digest == "" || !slices.Equal(v.Unlisted, []string{key}) && len(v.Unlisted) > 0 {
			t.Errorf("%s is not listed: %v, unlisted %q, %+v", key, err, v.Unlisted, v.Findings)
		}
		if !strings.HasPrefix(kind, "answers/") && len(v.Unlisted) == 0 && !strings.HasSuffix(key, ".intent.json") {
			t.Errorf("%s is not listed, and nothing says so", key)
		}
		objects := maps.Clone(s.Objects)
		delete(objects, key)
		v, err = Check(ctx, storetest.NewMemory(objects), catalogue.Builtin(), "c") // here, it is gone
		if must(t, err); kind != "lake/_manifests/" && v.OK || kind == "raw/_commits/campaign=c/" &&
			!slices.ContainsFunc(v.Findings, func(f lake.Finding) bool { return f.Object == key }) {
			t.Errorf("%s is missing: %+v", key, v.Findings)
		}
	}
	ledger := lake.AboutKey("c", "ledger.json")
	objects := maps.Clone(s.Objects)
	objects[ledger] = `{"../campaign=c/": 5}`
	if v, err := Check(ctx, storetest.NewMemory(objects), catalogue.Builtin(), "c"); err != nil || v.OK || v.Digest == "" {
		t.Errorf("a forged card: %v, %+v", err, v)
	}
	if len(seen) != 8 {
		t.Errorf("tried %v", seen)
	}
}

// label labels all messages of campaign c by rules.
func label(t *testing.T, s store.Store) {
	t.Helper()
	how := campaign.Labelling{Labeller: plan.Choice{Name: labels.Rules}, Words: labels.Words}
	must(t, campaign.WriteLabelling(t.Context(), s, "c", how))
	a := activities.New(activities.Config{Store: s, Plugins: catalogue.Builtin(),
		Models: func(plan.Choice, plan.Condition, envs.Environment) (model.Provider, error) {
			return model.Provider{Name: labels.Rules, Model: labels.NewRules(), Simulated: true, Instant: true}, nil
		}})
	page, err := a.Survey(t.Context(), task.Page{Campaign: "c", Labeller: how.ID(), Limit: 100})
	must(t, err)
	batch := task.Batch{Campaign: "c", Labeller: how.ID(), Cells: page.Cells}
	for _, cell := range batch.Cells {
		_, err := a.PlayRound(t.Context(), task.Round{Ref: batch.Ref(cell)})
		must(t, err)
		_, err = a.Record(t.Context(), task.Ending{Ref: batch.Ref(cell), Status: task.Succeeded})
		must(t, err)
	}
}
