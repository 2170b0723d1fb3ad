package lake_test

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

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

// TestOnlySome: a collaboration has the rows that it has among all, whichever others are passed over: more rows
// than are decoded at once, with lists, in several parts and conditions.
func TestOnlySome(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for batch := range 2 {
		for i := range 30 {
			key := record.Key{SchemaVersion: record.SchemaVersion, CampaignID: "c", ConditionID: fmt.Sprintf("k%d", i%2), CollaborationID: fmt.Sprintf("k%d-i0-r%d", i%2, 2*i+batch)}
			rows := record.Rows{Collaborations: []record.Collaboration{{Key: key, Status: record.Succeeded, Environment: "exchange", Measure: record.Share, SettingsJSON: "{}"}}}
			for n := range (i % 3) * 90 {
				round := record.Round{Key: key, Round: int32(n + 1), Utilities: make([]float64, n%4)}
				if n%2 == 0 {
					round.Score = new(float64(n))
				}
				rows.Rounds = append(rows.Rounds, round)
			}
			if _, err := commits.Commit(t.Context(), s, rows); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := commits.CompactAll(t.Context(), s, "c", true); err != nil {
			t.Fatal(err)
		}
	}
	d, err := lake.ReadDataset(t.Context(), s, "c")
	if err != nil || d.Batches != 2 {
		t.Fatal(d.Batches, err)
	}
	read := func(d lake.Dataset) map[string]record.Rows {
		all := map[string]record.Rows{}
		for rows, err := range lake.Collaborations(t.Context(), s, d) {
			if err != nil {
				t.Fatal(err)
			}
			all[rows.Collaborations[0].CollaborationID] = rows
		}
		return all
	}
	all := read(d)
	if len(all) != 60 || len(all["k0-i0-r4"].Rounds) != 180 {
		t.Fatal(len(all), len(all["k0-i0-r4"].Rounds))
	}
	for _, step := range []int{2, 7, 29, 59} {
		n := 0
		some := d.Only(func(lake.Member) bool { n++; return n%step == 0 })
		for _, some := range []lake.Dataset{some, some.ByPart()} {
			got := read(some)
			for name, rows := range got {
				if !reflect.DeepEqual(rows, all[name]) {
					t.Errorf("every %d: %s has %d rounds, want %d", step, name, len(rows.Rounds), len(all[name].Rounds))
				}
			}
			if len(got) != len(some.Members) {
				t.Errorf("every %d: %d collaborations, want %d", step, len(got), len(some.Members))
			}
		}
	}
	seen := &fetched{Store: s}
	one := d.Only(func(m lake.Member) bool { return m.Collaboration == "k0-i0-r4" || m.Collaboration == "k0-i0-r5" })
	for rows, err := range lake.Collaborations(t.Context(), seen, one) {
		if err != nil || len(rows.Rounds) != 180 {
			t.Fatal(len(rows.Rounds), err)
		}
		if runtime.GC(); seen.alive() > 0 {
			t.Errorf("%d parts are in memory after the only collaboration that is asked of each", seen.alive())
		}
	}
	if len(seen.files) != 4 {
		t.Errorf("%d parts were read, want 4: of two tables and batches", len(seen.files))
	}
	verified := &fetched{Store: s}
	if r, err := lake.Verify(t.Context(), verified, "c"); err != nil || len(r.Findings) > 0 {
		t.Fatal(r.Findings, err)
	}
	if verified.most > 2 {
		t.Errorf("%d parts are in memory at once while they are checked, want 2: of two tables", verified.most)
	}
}

// fetched knows which files that were read from a store are still in memory.
type fetched struct {
	store.Store
	files []weak.Pointer[byte] // of sealed parts
	most  int                  // that were in memory at once
}

func (f *fetched) Get(ctx context.Context, key string) ([]byte, error) {
	data, err := f.Store.Get(ctx, key)
	if err == nil && strings.Contains(key, "/part-") {
		f.files = append(f.files, weak.Make(&data[0]))
		runtime.GC()
		f.most = max(f.most, f.alive())
	}
	return data, err
}

func (f *fetched) alive() (n int) {
	for _, p := range f.files {
		if p.Value() != nil {
			n++
		}
	}
	return n
}
