package campaign

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func TestSameData(t *testing.T) {
	read := func(content string) map[string]string {
		folder := NewDataFiles(fstest.MapFS{"a/q.json": {Data: []byte(content)}, "b.json": {Data: []byte("x")}})
		if names, err := fs.Glob(folder, "*/*.json"); err != nil || len(names) != 1 {
			t.Fatal(names, err)
		}
		got, err := fs.ReadFile(folder, "a/q.json")
		if err != nil || string(got) != content {
			t.Fatalf("%q, %v", got, err)
		}
		if len(folder.Sums) != 1 {
			t.Errorf("sums of %v; only a/q.json was read", folder.Sums)
		}
		return folder.Sums
	}
	if err := SameData(read("one"), read("one")); err != nil {
		t.Error(err)
	}
	if err := SameData(read("one"), read("two")); err == nil || !strings.Contains(err.Error(), "a/q.json") {
		t.Errorf("a changed file: %v", err)
	}
}
