package lake_test

import (
	"fmt"
	"slices"
	"testing"

	"roundtable/activities/commits"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/lake/store"
)

// TestByPart: the same rows, one batch after the other, though their names alternate.
func TestByPart(t *testing.T) {
	ctx := t.Context()
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for batch := range 3 {
		for i := range 4 {
			row := record.Collaboration{Status: record.Succeeded, Environment: "exchange", Measure: record.Share, SettingsJSON: "{}"}
			row.SchemaVersion, row.CampaignID, row.ConditionID, row.CollaborationID = record.SchemaVersion, "c", fmt.Sprintf("k%d", i%2), fmt.Sprintf("k%d-i0-r%d", i%2, 3*i+batch)
			if _, err := commits.Commit(ctx, s, record.Rows{Collaborations: []record.Collaboration{row}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := commits.CompactAll(ctx, s, "c", true); err != nil {
			t.Fatal(err)
		}
	}
	d, err := lake.ReadDataset(ctx, s, "c")
	if err != nil {
		t.Fatal(err)
	}
	names := func(d lake.Dataset) (all []string) {
		for row, err := range lake.Scan[record.Collaboration](ctx, s, d) {
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, row.CollaborationID)
		}
		return all
	}
	usual, byPart := names(d), names(d.ByPart())
	if !slices.IsSorted(usual) || len(usual) != 12 {
		t.Errorf("as they are: %v", usual)
	}
	want := []string{"k0-i0-r0", "k0-i0-r6", "k0-i0-r1", "k0-i0-r7", "k0-i0-r2", "k0-i0-r8"}
	if !slices.Equal(byPart[:6], want) || !slices.Equal(slices.Sorted(slices.Values(byPart)), usual) {
		t.Errorf("by part: %v, want first %v", byPart, want)
	}
	for row, err := range lake.Scan[record.Collaboration](ctx, s, lake.Reading[record.Collaboration](d, "status")) {
		if err != nil || row.CollaborationID == "" || row.SchemaVersion == 0 || row.Status != record.Succeeded || row.Environment != "" {
			t.Fatalf("reading the status alone: %+v, error %v", row, err)
		}
	}
}
