package lake

import (
	"slices"
	"testing"

	"roundtable/analysis/lake/store"
)

// Names of the program are told from those that systems, editors and synchronized folders leave.
func TestIsOwn(t *testing.T) {
	for _, key := range []string{
		"lake/_manifests/campaign=c/batch-000001.json", "lake/_manifests/campaign=c/batch-000001.intent.json",
		"raw/_commits/campaign=c/majority-0a1b2c3d-i0-r0.0.json", "raw/_commits/labels/campaign=c/openai-x-1/majority-0a1b2c3d-i0-r0.0.json",
		"raw/turns/campaign=c/condition=x/majority-0a1b2c3d-i0-r0.0.parquet", "raw/labels/campaign=c/condition=x/m-0-i0-r0.0.book.openai-x-1.parquet",
		"lake/turns/campaign=c/condition=x/part-000001.parquet", "lake/_campaigns/c/manifest.json", "lake/_campaigns/c/_SUCCESS",
		"lake/_campaigns/c/plans/0123456789ab.json", "lake/_campaigns/c/settlements/000001.json", "lake/_outcomes/campaign=c/outcomes-000001.json",
		"answers/campaign=c/m-0-i0-r0.0/12.json", "answers/campaign=c/m-0-i0-r0.0/0.batch.json", "answers/campaign=c/m-0-i0-r0.0/000001.0.intent-2.json", "budget/campaign=c/00000001.json",
	} {
		if !IsOwn(key) {
			t.Errorf("%s is taken for a stranger's", key)
		}
	}
	for _, folder := range []string{"lake/_manifests/campaign=c/", "lake/_outcomes/campaign=c/", "raw/_commits/campaign=c/", "raw/turns/campaign=c/condition=x/", "lake/turns/campaign=c/condition=x/", "lake/_campaigns/c/", "lake/_campaigns/c/plans/", "answers/campaign=c/m.0/", "budget/campaign=c/"} {
		for _, name := range []string{"Thumbs.db", "desktop.ini", "Icon\r", "batch-0 (1).json", "0.sync-conflict-20260101-101010-ABC.json", "x.json~", "x.json.bak", "1.json.crdownload", "Untitled", "part-1 (copy).parquet"} {
			if key := folder + name; IsOwn(key) && key != "lake/_campaigns/c/0.sync-conflict-20260101-101010-ABC.json" {
				t.Errorf("%q is taken for the program's", key)
			}
		}
	}
}

// What others leave beside markers and manifests changes nothing that is read, and verify names it.
func TestForeignNamesArePassedOver(t *testing.T) {
	s, err := store.NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var all []string
	for _, folder := range []string{manifestFolder("c"), commitFolder("c"), outcomesFolder("c"), SettlementsKey("c"), "answers/campaign=c/m.0/"} {
		key := folder + "Thumbs.db"
		if err := s.PutIfAbsent(t.Context(), key, []byte("x")); err != nil {
			t.Fatal(err)
		}
		all = append(all, key)
	}
	if d, err := ReadDataset(t.Context(), s, "c"); err != nil || len(d.Members) > 0 {
		t.Errorf("the dataset is %+v: %v", d, err)
	}
	if _, err := Progress(t.Context(), s, "c"); err != nil {
		t.Error(err)
	}
	if _, err := ReadSettled(t.Context(), s, "c"); err != nil {
		t.Error(err)
	}
	r, err := Verify(t.Context(), s, "c")
	slices.Sort(all)
	if slices.Sort(r.Foreign); err != nil || !slices.Equal(r.Foreign, all) || !r.OK() {
		t.Errorf("verify finds %q and %v, want %q: %v", r.Foreign, r.Findings, all, err)
	}
}
