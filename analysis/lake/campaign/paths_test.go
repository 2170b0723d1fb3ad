package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"roundtable/analysis/lake/store"
	"roundtable/analysis/lake/store/storetest"
	"roundtable/workflows/plan"
)

// Folders of this machine have names that tell nothing, and the longest is replaced first: the lake is
// often in the campaign's folder, and that in the user's own.
func TestHidePaths(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("HOME", filepath.Dir(dir))
	lake, err := store.NewLocal(filepath.Join(dir, "lake"))
	if err != nil {
		t.Fatal(err)
	}
	defer lake.Close()
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	known := WithPaths(lake, func(name string) string { return filepath.Join(dir, "state", name) })
	if err := keepPaths(known, Plan{Campaign: plan.Campaign{Name: "c"}, Paths: Paths{Folder: dir, Data: data}}); err != nil {
		t.Fatal(err)
	}
	_, err = lake.Get(t.Context(), "raw/none.json")
	text := errors.Join(err, errors.New(dir+"/data/q.csv, "+dir+"/c.yaml, "+filepath.Dir(dir)+"/key")).Error()
	hidden := HidePaths(known, "c", text)
	if strings.Contains(hidden, filepath.Dir(dir)) || !strings.Contains(hidden, "lake (lake): ") ||
		!strings.Contains(hidden, "(data)/q.csv, ./c.yaml, ~/key") {
		t.Error(hidden)
	}
}

// Who may not read another person's state folder reads the lake in it as if that person's paths were not known.
func TestPathsOfAnotherPerson(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	file := filepath.Join(t.TempDir(), "paths.json")
	if err := os.WriteFile(file, []byte(`{"folder":"/lab"}`), 0); err != nil {
		t.Fatal(err)
	}
	p, err := readPaths(WithPaths(storetest.NewMemory(nil), func(string) string { return file }), "c")
	if err != nil || p != (Paths{}) {
		t.Errorf("%+v, %v", p, err)
	}
}
