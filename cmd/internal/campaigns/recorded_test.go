package campaigns_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"roundtable/activities/answers"
	"roundtable/activities/laketest"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

const ofCampaign = "env: exchange, protocol: {name: roundtable, rounds: 1}, rule: plurality, model: scripted/trader"

// Campaigns are listed with what they have taken.
func TestList(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	o := &cli.Options{Lake: filepath.Join(dir, "lake"), State: filepath.Join(dir, "state"), Plugins: catalogue.Builtin()}
	if all, err := campaigns.List(ctx, o); err != nil || len(all) != 0 {
		t.Errorf("without a lake: %v, %v", all, err)
	}
	s, err := store.NewLocal(o.Lake)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for generation := range 2 {
		if err := laketest.Play(ctx, s, "{name: a, replicates: 2, "+ofCampaign+"}", generation); err != nil {
			t.Fatal(err)
		}
	}
	p, err := laketest.Record(ctx, s, "{name: b, replicates: 30, "+ofCampaign+"}")
	if err != nil {
		t.Fatal(err)
	}
	begun := answers.RunKey{Campaign: "b", Collaboration: p.Campaign.Conditions[0].ID() + p.Campaign.Cell(0).Suffix()}
	if _, err := answers.NewAnswers(s).Intend(ctx, begun, answers.Intent{WorstTokens: 1}); err != nil {
		t.Fatal(err)
	}
	all, err := campaigns.List(ctx, o)
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	if a := all[0]; a.Name != "a" || !a.Known || a.Imported || a.Done() != 2 || a.Cells != 2 || a.Succeeded != 2 || a.Bytes == 0 || a.Ended == nil || time.Since(*a.Ended) > time.Hour || !slices.Equal(a.Models, []string{"scripted/trader"}) || a.Damage != "" {
		t.Errorf("%+v", a)
	}
	if b := all[1]; b.Name != "b" || b.Done() != 0 || b.Cells != 30 || b.UnderWay.Collaborations != 1 || b.Ended != nil {
		t.Errorf("%+v", b)
	}
	if _, _, _, err := campaigns.Open(ctx, o, "c"); cli.ExitCode(err) != cli.ExitUsage || !strings.Contains(err.Error(), "it has a, b") {
		t.Errorf("%v", err)
	}
	if c, err := campaigns.ReadPlannedCampaign(ctx, s, "c"); err != nil || c.Name != "" {
		t.Errorf("%v, %v", c.Name, err)
	}
	if c, err := campaigns.ReadPlannedCampaign(ctx, s, "b"); err != nil || c.Name != "b" {
		t.Errorf("%v, %v", c.Name, err)
	}
}

// Each thing that a status knows is a line, and what it does not know is none.
func TestStatusInWords(t *testing.T) {
	t.Parallel()
	usd := 2.5
	st := campaigns.Status{Name: "c", State: "paused", Status: workflows.Status{Cells: 4, Succeeded: 1, Failed: 1}, Share: .625,
		Limits: plan.Limits{CostUSD: &usd, Tokens: 9, Models: map[string]plan.ModelLimits{"m": {Calls: 3, Timeout: "5s"}}}}
	st.Spent = task.Result{Calls: 10, Cached: 1, InputTokens: 1000, OutputTokens: 234, CostUSD: .5}
	says := func(wanted string, is bool) {
		t.Helper()
		var b strings.Builder
		if st.Write(&b); strings.Contains(b.String(), wanted) != is {
			t.Errorf("%q is in it: %t\n%s", wanted, !is, &b)
		}
	}
	says("c: paused, 2 of 4 collaborations finished (1 succeeded, 1 failed, 0 stopped), 0 running, 62% done\n", true)
	says("10 calls and 1 answer from the cache, 1.2k tokens, $0.5000 so far\n", true)
	says("limits: collaborations ", true)
	says("cost_usd $2.5, tokens 9, models.m.calls 3, models.m.timeout 5s\n", true)
	for _, none := range []string{"run again", "not labelled", "paused because", "cannot be read", "of these", "at most", "unknown", "as of", "every collaboration"} {
		says(none, false)
	}
	st.Again, st.Unlabelled, st.PauseReason, st.Unread = 1, 1, "why", "gone\nfor good"
	st.Spent.WorstUSD, st.Spent.Unpriced = .25, true
	st.Besides, st.UnderWay.Collaborations, st.UnderWay.Turns, st.UnderWay.Most = task.Result{Calls: 1, CostUSD: .125}, 1, 2, 9
	for _, some := range []string{
		"1 of them will be run again\n", "1 are not labelled yet; resume with: roundtable label c\n", "paused because: why\n", "its state cannot be read: gone; for good\n",
		"11 calls and 1 answer", "$0.6250, at most $0.2500 more for calls of unknown outcome, and calls of unknown price so far", "of these 1 call, $0.1250 for labels",
		"of these 0 calls, $0.0000 in 1 unfinished collaboration, with 2 of at most 9 turns taken\n",
	} {
		says(some, true)
	}
	st.State, st.At, st.Unread = "running", time.Now().Add(-time.Minute), ""
	says("as of 1m0s ago: its worker is busy\n", true)
	says("every collaboration has ended", false)
	st.Succeeded = 3
	says("every collaboration has ended; its tables are being made\n", true)
	st.State = "done"
	says("limits:", false)
	st.Damage = "lost"
	says("c: cannot be read: lost\n", true)
}

func TestLimitsThatChange(t *testing.T) {
	t.Parallel()
	usd := 1.5
	before := plan.Limits{Calls: 3, Models: map[string]plan.ModelLimits{"m": {Calls: 2}}}
	after := plan.Limits{Calls: 3, CostUSD: &usd, Models: map[string]plan.ModelLimits{"n": {RequestsPerMinute: 5}}}
	got := campaigns.ChangedLimits(before, after)
	want := []campaigns.Change{{Limit: "cost_usd", Old: "none", New: "$1.5"}, {Limit: "models.m.calls", Old: "2", New: "none"}, {Limit: "models.n.requests_per_minute", Old: "none", New: "5"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := campaigns.ChangedLimits(before, before); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
