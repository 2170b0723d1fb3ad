package commits_test

import (
	"maps"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store/storetest"
)

// Objects of which no row tells are counted by the card, so that their loss is noticed.
func TestCheckLedger(t *testing.T) {
	s := storetest.NewMemory(map[string]string{
		"answers/campaign=c/check-abc.0/000000.0.json":          "{}",
		"answers/campaign=c/check-abc.0/000000.0.intent-0.json": "{}",
		"answers/campaign=c/embeddings-m-1-xyz.0/000001.0.json": "{}",
		"answers/campaign=c/k-i0-r0.0/000000.0.json":            "{}",
		"budget/campaign=c/00000001.json":                       "{}",
		"budget/campaign=c/00000002.json":                       "{}",
	})
	key := record.Key{SchemaVersion: 1, CampaignID: "c", ConditionID: "k", CollaborationID: "k-i0-r0"}
	_, err := commits.Commit(ctx, s, commits.Rows{Collaborations: []record.Collaboration{{Key: key, Status: "succeeded"}}})
	must(t, err)
	for table, by := range map[string]string{record.Labels: "by", record.Features: "m"} { // of a collaboration without messages
		m := lake.Marker{Campaign: "c", Condition: "k", Collaboration: "k-i0-r0", By: by, Table: table, SchemaVersion: record.SchemaVersion, Status: "succeeded"}
		sealed, err := lake.Seal(m.Key(), m)
		must(t, err)
		must(t, s.PutIfAbsent(ctx, m.Key(), sealed))
	}
	must(t, commits.WriteCard(ctx, s, "c"))
	missing := func() map[string]string {
		problems, err := commits.CheckLedger(ctx, s, "c")
		must(t, err)
		return problems
	}
	s.Objects["budget/campaign=c/00000003.json"] = "{}" // what is given back at the end comes later
	s.Objects["answers/campaign=c/check-def.0/000000.0.json"] = "{}"
	if got := missing(); len(got) > 0 {
		t.Errorf("nothing is missing: %v", got)
	}
	whole := maps.Clone(s.Objects)
	for _, gone := range []struct {
		folder  string
		objects []string
	}{
		{"answers/campaign=c/check-abc.0/", []string{"000000.0.json"}},
		{"answers/campaign=c/check-abc.0/", []string{"000000.0.json", "000000.0.intent-0.json"}},
		{"answers/campaign=c/embeddings-m-1-xyz.0/", []string{"000001.0.json"}},
		{"raw/_commits/labels/campaign=c/by/", []string{"k-i0-r0.0.json"}},
		{"raw/_commits/features/campaign=c/m/", []string{"k-i0-r0.0.json"}},
		{"budget/campaign=c/", []string{"00000001.json", "00000002.json", "00000003.json"}},
	} {
		for _, name := range gone.objects {
			delete(s.Objects, gone.folder+name)
		}
		if got := missing(); len(got) != 1 || got[gone.folder] == "" {
			t.Errorf("%s without %v: %v", gone.folder, gone.objects, got)
		}
		must(t, commits.WriteCard(ctx, s, "c")) // as a command that adds a table does
		if got := missing(); len(got) != 1 || got[gone.folder] == "" {
			t.Errorf("%s without %v, and a new card: %v", gone.folder, gone.objects, got)
		}
		s.Objects = maps.Clone(whole)
	}
	later := lake.Marker{Campaign: "c", Condition: "k", Collaboration: "k-i0-r0", By: "other", Table: record.Labels, SchemaVersion: record.SchemaVersion, Status: "succeeded"}
	sealed, err := lake.Seal(later.Key(), later)
	must(t, err)
	must(t, s.PutIfAbsent(ctx, later.Key(), sealed)) // and killed before the card tells of it
	for _, want := range []bool{true, false} {
		if repaired, err := commits.RepairCard(ctx, s, "c"); err != nil || repaired != want {
			t.Errorf("a card that does not tell of the last labels: repaired %v, %v", repaired, err)
		}
	}
	s.Objects["lake/_campaigns/c/ledger.json"] = "[1]"
	if changed, err := commits.CheckCard(ctx, s, "c"); err != nil || len(changed) != 1 || len(missing()) > 0 {
		t.Errorf("a count that is another: %v, %v", changed, err)
	}
}
