package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A staged file is whole under its name or leaves nothing; what is there stays without force.
func TestStagedFiles(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "rows.csv")
	stage := func(text string) StagedFile {
		t.Helper()
		s, err := StageFile(path, func(w io.Writer) (int64, error) { _, err := io.WriteString(w, text); return 2, err })
		if err != nil || s.Rows != 2 || s.Bytes != int64(len(text)) {
			t.Fatalf("%+v, %v", s, err)
		}
		return s
	}
	holds := func(want string) {
		t.Helper()
		data, err := os.ReadFile(path)
		entries, e := os.ReadDir(folder)
		if errors.Join(err, e) != nil || string(data) != want || len(entries) != 1 {
			t.Errorf("%q, %v, %v; want %q alone", data, entries, errors.Join(err, e), want)
		}
	}
	if err := stage("first").Publish(false); err != nil {
		t.Error(err)
	}
	holds("first")
	if err := stage("second").Publish(false); err == nil || !strings.Contains(err.Error(), "exists; --force replaces it") {
		t.Errorf("without force: %v", err)
	}
	holds("first")
	second := stage("second")
	var copied strings.Builder
	if err := errors.Join(second.CopyTo(&copied), second.Publish(true)); err != nil || copied.String() != "second" {
		t.Errorf("with force: %q, %v", copied.String(), err)
	}
	holds("second")
	if _, err := StageFile(path, func(io.Writer) (int64, error) { return 0, errors.New("lost") }); err == nil {
		t.Error("an error is swallowed")
	}
	holds("second")
	for at, says := range map[string]string{"": "", path: "exists", folder: "is not a file", filepath.Join(folder, "none", "x"): "there is no folder", filepath.Join(folder, "new"): ""} {
		if err := CheckOutput(at, false); (err != nil) != (says != "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", at, err, says)
		}
	}
	if err := CheckOutput(path, true); err != nil {
		t.Error(err)
	}
}

// A file of keys is read to its end or refused: a cut key would be taken for a wrong one.
func TestLongEnvFile(t *testing.T) {
	folder := t.TempDir()
	for size, fits := range map[int]bool{maxSize: true, maxSize + 1: false, 2 * maxSize: false} {
		text := "#" + strings.Repeat("x", size-1)
		if err := os.WriteFile(filepath.Join(folder, envFileName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := loadEnvFile(io.Discard, folder); (err == nil) != fits {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
