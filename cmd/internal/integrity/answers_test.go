package integrity

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"roundtable/activities/answers"
	"roundtable/activities/laketest"
	"roundtable/activities/model"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
)

// A worker that is cut off can take back a call after another one has made the rows, in which
// it is a call of unknown outcome. That is not a fault; any other call that is in the rows only
// is one, and so is an intent that is gone.
func TestReleasedAfterTheRows(t *testing.T) {
	ctx := context.Background()
	run := answers.RunKey{Campaign: "c", Collaboration: "x"}
	s, err := store.NewLocal(t.TempDir())
	must(t, err)
	t.Cleanup(func() { s.Close() })
	cut, other := answers.NewAnswers(s), answers.NewAnswers(s)
	intend := func(a *answers.Answers, entry int, at int64) int {
		n, err := a.Intend(ctx, run, answers.Intent{Entry: entry, Provider: "openai", Model: "m", StartedAt: at})
		must(t, err)
		return n
	}
	load := func() answers.Stored {
		stored, err := other.Load(ctx, run)
		must(t, err)
		return stored
	}
	for entry := range 2 {
		intend(cut, entry, 5)
		other.Begin(run, load())
		_, err = other.Put(ctx, run, answers.Turn{Entry: entry, Asks: []answers.Answer{{
			Raw: []byte("yes"), Provider: "openai", ModelAsked: "m", FinishReason: "stop",
			Usage: model.Usage{Input: 1, Output: 1}, Attempt: intend(other, entry, 7), StartedAt: 7,
		}}})
		must(t, err)
	}
	rows := load().Calls(record.Key{})
	if len(rows) != 4 || rows[0].Status != "unknown" || rows[1].Attempt != 1 {
		t.Fatalf("rows are %+v", rows)
	}
	found := func(rows []record.Call) (problems []string) {
		comparison{run, load(), func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }}.compareCalls(rows)
		return problems
	}
	if p := found(rows); p != nil {
		t.Errorf("before: %q", p)
	}
	must(t, cut.Release(ctx, run, answers.Intent{StartedAt: 5}, false))
	if p := found(rows); p != nil {
		t.Errorf("taken back after the rows: %q", p)
	}
	if p := found(load().Calls(record.Key{})); p != nil {
		t.Errorf("rows made after that: %q", p)
	}
	if p := found(append(rows[:0:0], rows[1:]...)); len(p) == 0 {
		t.Error("rows without it, numbered with it, are not found")
	}
	later := append(rows[:0:0], rows...)
	later[0].StartedAt++
	if p := found(later); len(p) == 0 {
		t.Error("a call of another time is not found")
	}
	must(t, s.Delete(ctx, "answers/campaign=c/x.0/000001.0.intent-0.json"))
	if p := found(rows); len(p) == 0 {
		t.Error("an intent that is gone is not found")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// An answer to a call that was never announced may hide what was paid: it is found.
func TestUnannouncedAnswers(t *testing.T) {
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	must(t, laketest.Play(ctx, s, "{name: c, env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader, replicates: 1}", 0))
	run := answers.RunKey{Campaign: "c", Collaboration: "check-m"}
	for entry, want := range []string{"", "check-m.0: the answer to ask 0 of entry 1 has no intent, which is written before a call"} {
		stored := answers.NewAnswers(s)
		if entry == 0 {
			_, err := stored.Intend(ctx, run, answers.Intent{Entry: entry, Provider: "openai", Model: "m"})
			must(t, err)
		}
		_, err := stored.Put(ctx, run, answers.Turn{Entry: entry, Done: true, Asks: []answers.Answer{{Raw: []byte("yes"), Provider: "openai", ModelAsked: "m"}}})
		must(t, err)
		v, err := Check(ctx, s, catalogue.Builtin(), "c")
		must(t, err)
		found := ""
		for _, f := range v.Findings {
			if strings.Contains(f.Object, run.Collaboration) {
				found += f.Object + ": " + f.Problem
			}
		}
		if !strings.HasSuffix(found, want) || want == "" && found != "" {
			t.Errorf("entry %d: %q, want %q", entry, found, want)
		}
	}
}

// A budget's log that is missing or says too little is found; where nothing was reserved there is none.
func TestBudgetLogs(t *testing.T) {
	for _, c := range []struct {
		logged  bool
		covered int64
		want    string
	}{{false, 0, ""}, {false, 5, "it is missing"}, {true, 0, ""}, {true, 5, "it says that at most"}} {
		s := storetest.NewMemory(map[string]string{})
		if c.logged {
			key := money.LogKeys("c", 2)[0]
			log, err := lake.Seal(key, map[string]string{"kind": "recount"})
			must(t, err)
			must(t, s.PutIfAbsent(t.Context(), key, log))
		}
		v := Verification{}
		v.Campaign = "c"
		must(t, v.compareBudget(t.Context(), s, c.covered))
		if (len(v.Findings) == 0) != (c.want == "") || len(v.Findings) > 0 && !strings.Contains(v.Findings[0].Problem, c.want) {
			t.Errorf("%+v: %+v", c, v.Findings)
		}
	}
}

// A fork of a campaign that is not in the lake is compared with nothing, which is said.
func TestForkOfNothing(t *testing.T) {
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	p, err := laketest.Record(ctx, s, "{name: c, env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader}")
	must(t, err)
	for _, of := range []string{"", "first"} {
		if of != "" {
			p.Campaign.Conditions[0].Fork = &plan.Fork{Campaign: of, Condition: "x", Replicates: 1, Round: 1}
			must(t, campaign.WritePlan(ctx, s, p))
			must(t, campaign.WriteManifest(ctx, s, campaign.Manifest{Campaign: "c", Revision: p.Campaign.Revision()}))
		}
		v := Verification{}
		v.Campaign = "c"
		must(t, v.compareForks(ctx, s, catalogue.Builtin()))
		if v.NoOriginal != of {
			t.Errorf("the original is %q, want %q", v.NoOriginal, of)
		}
	}
}
