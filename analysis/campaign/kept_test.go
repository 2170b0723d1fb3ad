package campaign

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"roundtable/analysis/lake/store"
)

// What took long to compute is computed once from the same inputs, and again where its file is damaged.
func TestRemember(t *testing.T) {
	kept := Campaign{kept: &keptFiles{Cache: store.Cache{Folder: t.TempDir()}}}
	one, third := 1., 1./3
	type result struct {
		Score  *float64
		Absent string
	}
	computed := 0
	check := func(what string, c Campaign, name string, inputs any, want int) {
		t.Helper()
		got, err := Remember(c, name, inputs, func() ([]result, error) {
			computed++
			return []result{{Score: &third}, {Absent: "no labels"}}, nil
		})
		if err != nil || len(got) != 2 || *got[0].Score != third || got[1] != (result{Absent: "no labels"}) {
			t.Fatalf("%s: %+v (%v)", what, got, err)
		}
		if computed != want {
			t.Errorf("%s: computed %d times, want %d", what, computed, want)
		}
	}
	check("first", kept, "mean", []*float64{&one, nil}, 1)
	check("again", kept, "mean", []*float64{&one, nil}, 1)
	check("of something else", kept, "mean", []*float64{&third, nil}, 2)
	check("something else of it", kept, "median", []*float64{&one, nil}, 3)
	check("what JSON cannot say", kept, "mean", math.Inf(1), 4)
	check("what JSON cannot say, again", kept, "mean", math.Inf(1), 5)
	check("where nothing is kept", Campaign{}, "mean", []*float64{&one, nil}, 6)

	files, err := filepath.Glob(filepath.Join(kept.kept.Folder, "*", "*.json"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		data[len(data)-2]++
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check("damaged", kept, "mean", []*float64{&one, nil}, 7)
	check("made again", kept, "mean", []*float64{&one, nil}, 7)
}
