package campaigns_test

import (
	"errors"
	"path/filepath"
	"testing"

	"roundtable/activities"
	"roundtable/activities/laketest"
	"roundtable/activities/ledger"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows"
	"roundtable/workflows/catalogue"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
	"roundtable/workflows/until"
)

// Ended cells are counted by how they ended; a campaign is sealed when all have, under its own plan, and none is wanted again.
func TestEnded(t *testing.T) {
	t.Parallel()
	ctx, s := t.Context(), storetest.NewMemory(map[string]string{})
	p, err := laketest.Record(ctx, s, "{name: c, replicates: 5, "+ofCampaign+"}")
	if err != nil {
		t.Fatal(err)
	}
	a := activities.New(activities.Config{Store: s, Plugins: catalogue.Builtin(), Models: laketest.Policy})
	for cell, end := range []task.Ending{{Status: task.Failed, Failure: "why"}, {Status: task.Stopped, Failure: task.Cancelled}, {Status: task.Stopped, Failure: task.Answered}, {Status: task.Stopped, Failure: task.Answered}} {
		end.Ref = task.Ref{Campaign: "c", Revision: p.Campaign.Revision(), Cell: p.Campaign.Cell(cell)}
		if _, err := a.Record(ctx, end); err != nil {
			t.Fatal(err)
		}
	}
	st, again, err := campaigns.SummarizeEnded(ctx, s, p, ledger.Open(ctx, s, "c"))
	if err != nil || again != 0 || st.Cells != 5 || st.Succeeded != 0 || st.Failed != 1 || st.Stopped != 3 || st.Answered != 2 || st.Done() != 4 {
		t.Errorf("%+v, %d again, %v", st, again, err)
	}
	if campaigns.IsSealed(ctx, s, p) {
		t.Error("a campaign with a cell to run is sealed")
	}
	if campaigns.NeedsNothing(ctx, s, p, campaign.Manifest{Campaign: "c"}) {
		t.Error("the question is gone, and cells that it made unneeded are not run")
	}
	q := until.Question{Compare: "rule", Measure: "score", Method: until.Asymptotic, Width: .1, Level: .05, Ahead: 2, Levels: []until.Level{{Name: "a"}, {Name: "b"}}}
	asks := campaign.Manifest{Campaign: "c", Revision: p.Campaign.Revision(), Until: &q}
	if err := campaign.WriteManifest(ctx, s, asks); err != nil {
		t.Fatal(err)
	}
	if !campaigns.NeedsNothing(ctx, s, p, asks) { // it compares nothing, so that it is answered
		t.Error("cells of an answered question are run")
	}
	keepAhead := func(q until.Question, want int) {
		t.Helper()
		m := campaign.Manifest{Campaign: "c", Until: &q}
		asked, err := campaigns.KeepAhead(ctx, s, p, &m)
		if changed := m.Until.Ahead != q.Ahead; err != nil || asked != want || changed != (want > 0) || changed && m.Until.Ahead != 2 {
			t.Errorf("%d units ahead become %d, %d were asked for, %v", q.Ahead, m.Until.Ahead, asked, err)
		}
	}
	more := q
	more.Ahead = 5
	narrower := more
	narrower.Width = .05
	keepAhead(q, 0)
	keepAhead(more, 5)
	keepAhead(narrower, 0)
	s = storetest.NewMemory(map[string]string{})
	if err := laketest.Play(ctx, s, "{name: c, replicates: 2, "+ofCampaign+"}", 0); err != nil {
		t.Fatal(err)
	}
	if p, _, err = campaign.ReadRecorded(ctx, s, "c"); err != nil {
		t.Fatal(err)
	}
	a = activities.New(activities.Config{Store: s, Plugins: catalogue.Builtin(), Models: laketest.Policy})
	if _, err := a.Seal(ctx, task.Sealing{Campaign: "c", Revision: p.Campaign.Revision()}); err != nil {
		t.Fatal(err)
	}
	if !campaigns.NeedsNothing(ctx, s, p, campaign.Manifest{Campaign: "c"}) {
		t.Error("where no cell was skipped, something is needed")
	}
	if err := campaign.WriteManifest(ctx, s, asks); err != nil {
		t.Fatal(err)
	}
	keepAhead(more, 0) // which no cell was skipped for
	other := p
	other.Campaign.Replicates = 3
	if !campaigns.IsSealed(ctx, s, p) || campaigns.IsSealed(ctx, s, other) {
		t.Errorf("sealed: %t, with a replicate more: %t", campaigns.IsSealed(ctx, s, p), campaigns.IsSealed(ctx, s, other))
	}
	m, err := campaign.ReadManifest(ctx, s, "c")
	if err != nil {
		t.Fatal(err)
	}
	m.Card = &plan.Card{Version: "1.2.3"}
	if err := campaigns.RecordFile(ctx, s, m); err != nil {
		t.Fatal(err)
	}
	if m, err = campaign.ReadManifest(ctx, s, "c"); err != nil || m.Card == nil || m.Card.Version != "1.2.3" {
		t.Errorf("%+v, %v", m.Card, err)
	}
	for want, x := range map[float64]struct {
		s        workflows.Status
		underWay float64
	}{0: {}, 0.5: {workflows.Status{Cells: 4, Succeeded: 1}, 1}, 1: {workflows.Status{Cells: 2, Succeeded: 2}, 1}} {
		if got := campaigns.ShareDone(x.s, x.underWay); got != want {
			t.Errorf("%+v: %v, want %v", x, got, want)
		}
	}
}

// Where no engine runs a campaign, nothing is told to it, and who asks is told so.
func TestNotRunning(t *testing.T) {
	t.Parallel()
	o := &cli.Options{Lake: filepath.Join(t.TempDir(), "lake"), State: filepath.Join(t.TempDir(), "state")}
	if err := campaigns.Signal(t.Context(), o, "c", workflows.SignalCancel, nil); !errors.Is(err, campaigns.ErrNotRunning) {
		t.Errorf("%v", err)
	}
}
