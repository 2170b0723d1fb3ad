package main

import (
	"context"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/cli"
)

// bill ends the n-th cell of a plan with a call of each of two models behind one name.
func bill(t *testing.T, s store.Store, p campaign.Plan, n int) {
	t.Helper()
	c := p.Campaign
	cell := c.Cell(n)
	key := record.Key{SchemaVersion: record.SchemaVersion, CampaignID: c.Name, ConditionID: c.Conditions[cell.Condition].ID(), CollaborationID: c.CollaborationID(cell)}
	rows := record.Rows{
		Collaborations: []record.Collaboration{{Key: key, Status: "succeeded"}},
		Turns:          []record.Turn{{Key: key, Phase: "vote", Kind: "ask"}},
	}
	for attempt, model := range []string{"m-june", "m-july"} {
		rows.Calls = append(rows.Calls, record.Call{
			Key: key, Attempt: int32(attempt), ModelAsked: "openai/m", ModelAnswered: model, Status: "answered", CostUSD: ptr(.25), LatencyMS: ptr(int64(1500)),
			InputTokens: ptr(int64(10)), OutputTokens: ptr(int64(2)), StartedAt: 1_780_000_000_000_000,
		})
	}
	if _, err := commits.Commit(context.Background(), s, rows); err != nil {
		t.Fatal(err)
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	bill(t, s, p, 0)
	bill(t, s, p, 1)
	out, err := runCommand(t, "cost", "reading", "--lake", o.Lake)
	noError(t, err)
	contains(t, out, "Cost of reading by condition", "majority-", "1.0000", "1.50", "20 of 22 cells are running or still to come",
		"WARNING: openai/m was answered by 2 models: m-july (2 calls, 2026-05-28")
	out, err = runCommand(t, "cost", "reading", "--lake", o.Lake, "--by", "phase", "--json")
	noError(t, err)
	d := document(t, out)
	row := d["table"].(map[string]any)["rows"].([]any)[0].(map[string]any)
	if row["phase"] != "vote" || row["answered"] != 4. || row["cost USD"] != 1. || row["USD/collaboration"] != .5 || row["p95 s"] != 1.5 {
		t.Errorf("%v", row)
	}
	if of := d["cells"].(map[string]any); of["planned"] != 22. || of["committed"] != 2. || len(d["warnings"].([]any)) != 1 {
		t.Errorf("%v", d)
	}
	out, err = runCommand(t, "cost", "reading", "--lake", o.Lake, "--by", "model", "--format", "csv")
	noError(t, err)
	contains(t, out, "openai/m,2,4,0,0,40,0,8,0,1,1,0.5,0.25,1.5,1.5\n", "warning: openai/m was answered")
	if out, err = runCommand(t, "cost", "reading", "--lake", o.Lake, "--format", "md"); err != nil || !strings.Contains(out, "| condition |") {
		t.Errorf("%v in\n%s", err, out)
	}
}

func TestCostRefuses(t *testing.T) {
	t.Parallel()
	o, s, p := reading(t)
	bill(t, s, p, 0)
	for _, x := range []struct{ args, says []string }{
		{[]string{"reading", "--by", "mood"}, []string{"mood", "condition", "phase"}},
		{[]string{"reading", "--format", "xls"}, []string{"xls", "csv"}},
		{[]string{"writing"}, []string{`"writing"`}},
		{nil, []string{"expected 1 campaign, got 0"}},
	} {
		_, err := runCommand(t, append([]string{"cost", "--lake", o.Lake}, x.args...)...)
		fails(t, err, cli.ExitUsage, x.says...)
	}
}
