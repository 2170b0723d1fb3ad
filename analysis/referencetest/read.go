// Package referencetest has the reference vectors, which were made with
// independent tools and are kept next to this repository, for the tests of the
// packages of analysis.
package referencetest

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Read reads one of them. A test is passed over if they are not there, and for
// no other reason.
func Read(t testing.TB, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "..", "shared", "vectors", name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the reference vectors are not next to the repository")
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// root returns the repository's folder, however deep the package of the test is.
func root(t testing.TB) string {
	t.Helper()
	at, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		above := filepath.Dir(at)
		if above == at {
			t.Fatal("no go.mod above the test's folder")
		}
		at = above
	}
}
