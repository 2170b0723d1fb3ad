package dialogue

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
	"roundtable/analysis/table"
)

// labelledCampaign is two collaborations of two agents and two rounds; "b" was
// labelled in an earlier generation, "c" not at all.
func labelledCampaign(t *testing.T) (campaign.Campaign, store.Store) {
	t.Helper()
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c := campaign.Campaign{Name: "talks"}
	label := func(by, id string, generation int32, said ...[]string) {
		key := record.Key{SchemaVersion: 1, CampaignID: "talks", ConditionID: "k", CollaborationID: id, Generation: generation}
		var rows []record.Label
		for i, names := range said {
			row := record.Label{Key: key, Labeller: by, Entry: int32(i), Round: int32(i/2 + 1), Agent: int32(i % 2), Status: record.Labelled, Simulated: by == "rules"}
			if names == nil {
				row.Status = "invalid"
			}
			row.Show(names...)
			rows = append(rows, row)
		}
		m := lake.Marker{Campaign: "talks", Condition: "k", Collaboration: id, Generation: int(generation), By: by, Status: record.Succeeded}
		if _, err := commits.CommitAnnotations(context.Background(), s, m, rows); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{"a", "b", "c"} {
		run := campaign.Run{Collaboration: record.Collaboration{
			Key:    record.Key{CampaignID: "talks", ConditionID: "k", CollaborationID: id},
			Status: record.Succeeded, Environment: "exchange", Measure: record.Share, Rule: "majority", Agents: 2, RoundsPlanned: 2, RoundsRun: 2, SettingsJSON: `{"env": "exchange", "rule": "majority"}`,
		}}
		if id == "b" {
			run.Generation = 1
		}
		c.Runs = append(c.Runs, run)
	}
	label("rules", "a", 0, []string{"Inform"}, []string{"Request"}, []string{"Accept"}, []string{"Accept", "Inform"})
	label("rules", "b", 0, []string{"Decline"}, []string{"Decline"}, []string{"Decline"}, []string{"Decline"})
	label("rules", "b", 1, []string{"Inform"}, nil, []string{"Request"}, []string{"Others"})
	label("model", "a", 0, []string{"Inform"}, []string{"Inform"}, []string{"Accept"}, []string{"Accept"})
	return c, s
}

func TestTable9(t *testing.T) {
	c, s := labelledCampaign(t)
	if _, err := LoadLabels(t.Context(), s, c, ""); err == nil || !strings.Contains(err.Error(), "model, rules") {
		t.Errorf("two labellers, none chosen: %v", err)
	}
	if _, err := LoadLabels(t.Context(), s, c, "nobody"); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("an unknown labeller: %v", err)
	}
	if _, err := LoadLabels(t.Context(), s, campaign.Campaign{Name: "mute"}, ""); err == nil || !strings.Contains(err.Error(), "roundtable label mute") {
		t.Errorf("no labels: %v", err)
	}
	l, err := LoadLabels(t.Context(), s, c, "rules")
	if err != nil {
		t.Fatal(err)
	}
	tab, err := Acts(c, l)
	if err != nil {
		t.Fatal(err)
	}
	// Columns: rule, share of, act, @1, @2, n.
	for _, want := range []struct {
		of, act string
		first   float64
		n       int
		second  float64
	}{
		{"messages", "Inform", 2. / 3, 2, 1. / 4}, {"messages", "Request", 1. / 3, 2, 1. / 4}, {"messages", "Decline", 0, 2, 0},
		{"groups", "Inform", 1, 2, 1. / 2}, {"groups", "Accept", 0, 2, 1. / 2}, {"groups", "Others", 0, 2, 1. / 2},
	} {
		found := false
		for _, row := range tab.Rows {
			if row[1].Text == want.of && row[2].Text == want.act {
				found = true
				if math.Abs(*row[3].Value-want.first) > 1e-12 || row[3].N != want.n || math.Abs(*row[4].Value-want.second) > 1e-12 {
					t.Errorf("%s of %s: %v, %v", want.act, want.of, row[3], row[4])
				}
			}
		}
		if !found {
			t.Errorf("%s of %s is missing", want.act, want.of)
		}
	}
	notes := strings.Join(tab.Notes, "\n")
	for _, want := range []string{"SIMULATED LABELS", "Labelled by rules.", "left out: 1", "1 collaboration not labelled yet", "Labelled too by model"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes do not say %q:\n%s", want, notes)
		}
	}
	for _, format := range table.Formats() {
		var b bytes.Buffer
		if err := table.Write(&b, format, []table.Table{tab}); err != nil || strings.Contains(b.String(), "NaN") {
			t.Errorf("%s: %v\n%s", format, err, &b)
		}
	}
	if _, err := Acts(c, Labels{}); err == nil {
		t.Error("there is a table without labels")
	}
}

func TestTransitions(t *testing.T) {
	c, s := labelledCampaign(t)
	l, err := LoadLabels(t.Context(), s, c, "rules")
	if err != nil {
		t.Fatal(err)
	}
	table, err := Transitions(c, l)
	if err != nil || len(table.Rows) != 2*(acts.N+1) {
		t.Fatalf("%d rows, error %v", len(table.Rows), err)
	}
	// Inform is shown by one agent of each talk in round 1, and by one in round 2:
	// it is followed by Accept once (a), by Others once (b), by End once.
	row := table.Rows[1]
	if row[2].Text != "Inform" || *row[3].Value != 3 || *row[4+8].Value != 1./3 || *row[4+10].Value != 1./3 || *row[4+11].Value != 1./3 {
		t.Errorf("from Inform: %v", row)
	}
}

func TestAgreement(t *testing.T) {
	c, s := labelledCampaign(t)
	table, err := Agreement(t.Context(), s, c)
	if err != nil {
		t.Fatal(err)
	}
	// Inform: rules 1, 0, 0, 1; model 1, 1, 0, 0: as often alike as by chance.
	if row := table.Rows[1]; row[0].Text != "Inform" || *row[1].Value != 0 || *row[3].Value != .5 || *row[4].Value != 4 {
		t.Errorf("Inform: %v", row)
	}
	if row := table.Rows[9]; row[0].Text != "Accept" || *row[1].Value != 1 || *row[2].Value != 1 {
		t.Errorf("Accept: %v", row)
	}
	if _, err := Agreement(t.Context(), s, campaign.Campaign{Name: "mute"}); err == nil {
		t.Error("nobody agrees")
	}
}
