package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"roundtable/analysis/lake/store"
)

// A cache gives back what was put, forgets what was used longest ago, and touches no file that is not its own.
func TestCache(t *testing.T) {
	c := store.Cache{Folder: filepath.Join(t.TempDir(), "cache")}
	name := func(digit string) string { return strings.Repeat(digit, 64) + ".json" }
	for _, digit := range []string{"1", "2", "3"} {
		if err := c.Put(name(digit), []byte("old")); err != nil {
			t.Fatal(err)
		}
		if err := c.Put(name(digit), []byte("new "+digit)); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	for path, age := range map[string]time.Duration{name("1"): 3 * time.Hour, name("2"): 2 * time.Hour, ".tmp-77": 5 * time.Hour, "notes.txt": 9 * time.Hour, "x/" + name("4"): 4 * time.Hour} {
		path = filepath.Join(c.Folder, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			if err := os.WriteFile(path, []byte("12345"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chtimes(path, now.Add(-age), now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if data, err := c.Get(name("1")); err != nil || string(data) != "new 1" { // which is in use now
		t.Errorf("%q, %v", data, err)
	}
	if _, ok := c.Touch(name("3"), 4); ok {
		t.Error("a file of another size is taken")
	}
	if _, ok := c.Touch(name("9"), 5); ok {
		t.Error("a file that is not there is taken")
	}
	if path, ok := c.Touch(name("3"), 5); !ok || path != filepath.Join(c.Folder, name("3")) {
		t.Errorf("%s, %v", path, ok)
	}
	left := func() string {
		var words []string
		for _, path := range []string{name("1"), name("2"), name("3"), ".tmp-77", "notes.txt", "x/" + name("4")} {
			if _, err := os.Stat(filepath.Join(c.Folder, path)); err == nil {
				words = append(words, filepath.Base(path)[:5])
			}
		}
		return strings.Join(words, " ")
	}
	// 25 bytes of its own: the oldest go until 15 are left, and none that was used since
	if err := c.Prune(15, now.Add(-time.Hour)); err != nil || left() != "11111 22222 33333 notes" {
		t.Errorf("%s are left, %v", left(), err)
	}
	if err := c.Prune(0, now.Add(-time.Hour)); err != nil || left() != "11111 33333 notes" {
		t.Errorf("%s are left, %v", left(), err)
	}
	entries, err := os.ReadDir(c.Folder)
	if err != nil || len(entries) != 4 { // with x
		t.Errorf("%v, %v", entries, err)
	}
}
