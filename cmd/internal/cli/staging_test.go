package cli

import (
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
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

// A folder is there with all its files, or as it was; what it had besides stays.
func TestStagedFolders(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "new", "out")
	write := func(fails error) error {
		f, err := StageFolder(path + "/")
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Join(f.At, "in"), 0o755), os.WriteFile(filepath.Join(f.At, "in", "a"), []byte("new"), 0o644), fails)
		}
		return f.Finish(err)
	}
	holds := func(want string) {
		t.Helper()
		var got []string
		if err := filepath.WalkDir(root, func(at string, _ os.DirEntry, err error) error {
			got = append(got, strings.TrimPrefix(at, root))
			return err
		}); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
	lost := errors.New("lost")
	if inPlace, err := StageFolder(root); err != nil || filepath.Dir(inPlace.At) != root { // it may be another disk's
		t.Errorf("a folder that is there is staged at %s, %v", inPlace.At, err)
	} else if err := inPlace.Finish(lost); !errors.Is(err, lost) {
		t.Error(err)
	}
	if err := write(lost); !errors.Is(err, lost) {
		t.Error(err)
	}
	holds("")
	if err := write(nil); err != nil {
		t.Error(err)
	}
	holds(" /new /new/out /new/out/in /new/out/in/a")
	if err := errors.Join(os.WriteFile(filepath.Join(path, "b"), nil, 0o644), os.WriteFile(filepath.Join(path, "in", "a"), []byte("old"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := write(lost); !errors.Is(err, lost) {
		t.Error(err)
	}
	if data, _ := os.ReadFile(filepath.Join(path, "in", "a")); string(data) != "old" {
		t.Errorf("a failure leaves %q", data)
	}
	if err := write(nil); err != nil {
		t.Error(err)
	}
	if data, _ := os.ReadFile(filepath.Join(path, "in", "a")); string(data) != "new" {
		t.Errorf("the file is %q", data)
	}
	holds(" /new /new/out /new/out/b /new/out/in /new/out/in/a")
}

// A file that is replaced keeps its rights: it can be a private one.
func TestWriteFileKeepsRights(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(file, []byte("old and longer"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := WriteFile(file, []byte("new"))
	info, statErr := os.Stat(file)
	if data, readErr := os.ReadFile(file); errors.Join(err, statErr, readErr) != nil || string(data) != "new" || info.Mode().Perm() != 0o600 {
		t.Errorf("%q, %v, %v", data, info, err)
	}
}

// A pipe is opened once: its reader sees the end when it is closed.
func TestWriteFileToAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "p")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string)
	go func() {
		data, _ := os.ReadFile(pipe)
		read <- string(data)
	}()
	if err := WriteFile(pipe, []byte("all")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "all" {
		t.Errorf("the reader has %q", got)
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

// What a killed command left goes with the next write to its folder; what another one writes stays.
func TestSweepStaged(t *testing.T) {
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	killed, killedFolder := at(staged+rand.Text()), at(staged+rand.Text())
	young, notes := at(staged+rand.Text()), at(".roundtable-notes")
	if err := os.MkdirAll(filepath.Join(killedFolder, "in"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{killed, filepath.Join(killedFolder, "in", "a"), young, notes} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := StageFile(at("rows.csv"), func(io.Writer) (int64, error) { return 0, nil })
	inFolder, err2 := StageFolder(at("."))
	before := time.Now().Add(-time.Hour)
	for _, name := range []string{killed, killedFolder, notes, file.temp, inFolder.At} {
		err2 = errors.Join(err2, os.Chtimes(name, before, before))
	}
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(at("other.csv"), []byte("x")); err != nil {
		t.Fatal(err)
	}
	var left []string
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		left = append(left, at(e.Name()))
	}
	want := []string{young, notes, file.temp, inFolder.At, at("other.csv")}
	slices.Sort(want)
	if err != nil || !slices.Equal(left, want) {
		t.Errorf("left are %q, %v; want %q", left, err, want)
	}
	if err := errors.Join(file.Publish(false), inFolder.Finish(nil)); err != nil {
		t.Error(err)
	}
}
