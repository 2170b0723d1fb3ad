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
	"roundtable/activities/scoring"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
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

// The folders below a prefix are those of objects under it, listed or not.
func TestFoldersOfUnlisted(t *testing.T) {
	b := &byName{Store: storetest.NewMemory(map[string]string{"a/x/1": "", "a/y/1": "", "a/2": ""}), unlisted: map[string]store.Object{"a/z/1": {}, "a/y/2": {}, "a/3": {}, "b/w/1": {}}}
	if got, err := b.Folders(t.Context(), "a/"); err != nil || !slices.Equal(got, []string{"x", "y", "z"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// A score is held to what a judge, or a program, said of the decision; without a decision there is none to hold.
func TestScoresAreHeld(t *testing.T) {
	decision, decoded := `"B"`, any("B")
	j := judgements{byCondition: map[string]string{"judged": "j"}, byProgram: map[string]bool{"program": true},
		scores: map[judgedCase][]float64{{"j", "q", decision}: {0.5}},
		scored: scoring.Scored{{Question: "q", Answer: scoring.Comparable(decoded)}: {0.25}}}
	for _, c := range []struct {
		condition, question, status string
		score                       *float64
		decision                    *string
		judged                      bool
		wrong                       string
	}{
		{"judged", "q", task.Succeeded, new(0.5), &decision, true, ""},
		{"judged", "q-c3", task.Succeeded, new(0.5), &decision, true, ""}, // a context of the same question
		{"judged", "q", task.Succeeded, new(0.4), &decision, true, "comes to 0.5"},
		{"judged", "p", task.Succeeded, new(0.5), &decision, true, "no judgement"},
		{"judged", "q", task.Succeeded, nil, &decision, true, "has no score, which a judge gives"},
		{"judged", "q", task.Succeeded, new(0.), nil, false, ""},
		{"judged", "q", task.Succeeded, new(0.5), nil, true, "without a decision"},
		{"judged", "q", task.Failed, nil, nil, false, ""},
		{"other", "q", task.Succeeded, new(0.9), &decision, false, ""},
		{"program", "q", task.Succeeded, new(0.25), &decision, false, ""},
		{"program", "q-c3", task.Succeeded, new(0.25), &decision, false, ""},
		{"program", "q", task.Succeeded, new(0.5), &decision, false, "no stored score of a program"},
		{"program", "q", task.Succeeded, nil, &decision, false, "which a program gives"},
		{"program", "q", task.Succeeded, new(0.5), nil, false, ""},
	} {
		judged, wrong := j.check(record.Collaboration{Key: record.Key{ConditionID: c.condition}, InstanceID: c.question, Status: c.status, Score: c.score, DecisionJSON: c.decision})
		if judged != c.judged || (wrong == "") != (c.wrong == "") || !strings.Contains(wrong, c.wrong) {
			t.Errorf("%+v: %t, %q", c, judged, wrong)
		}
	}
}

// What was checked is said with its number, what there is none of is not, and long lists are cut.
func TestPrint(t *testing.T) {
	names := func(n int) []string { return strings.Split(strings.TrimSuffix(strings.Repeat("name ", n), " "), " ") }
	said := func(v Verification) string {
		var b strings.Builder
		if err := v.Write(&b, false); (err == nil) != v.OK {
			t.Fatal(err)
		}
		return b.String()
	}
	whole := Verification{OK: true, Planned: 8, Ended: 7, Compared: 3, Forked: 2, Judged: 4, Stops: 5, Decisions: 6, Recorded: 9, Data: 2, Settled: 3,
		NoOriginal: "first", Unlisted: names(12), Cached: 4, CachedDamaged: names(2)}
	whole.Campaign, whole.Foreign = "c", names(12)
	text := said(whole)
	for _, want := range []string{"c: 7 of 8 planned cells have ended\n", "rows of 3 collaborations with", "before the fork of 2 collaborations", "since first is not in this lake",
		"Scored again: 4 decisions", "stopping rules of 5 collaborations", "Counted again: 6 decisions", "Recorded: 9 answers", "Data: 2 files as", "Settled: 3 calls",
		"does not list 12 objects", "passed over: and 2 more (", "damaged are 2 of 6 entries", "Nothing is wrong.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said:\n%s", want, text)
		}
	}
	if strings.Count(text, "passed over: name\n") != mostForeign || strings.Count(text, "and there: name\n") != mostForeign {
		t.Errorf("of long lists:\n%s", text)
	}
	part := Verification{Imported: true, Planned: 8, Ended: 7, NoData: 2}
	part.Foreign = names(11)
	part.find("k", "it is torn")
	text = said(part)
	for _, want := range []string{"7 of 8 transcripts were imported", "Not whole: the import was interrupted", "2 files of data, which are not in this lake", "and 1 more (", "WRONG  k: it is torn\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said:\n%s", want, text)
		}
	}
	part.Foreign = names(10)
	for _, not := range []string{"more (", "Scored", "Counted", "Settled", "fork", "Recorded", "Cache", "Nothing is wrong", "does not list"} {
		if strings.Contains(said(part), not) {
			t.Errorf("%q is said:\n%s", not, said(part))
		}
	}
}
