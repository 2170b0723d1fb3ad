package pages

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// The browser's command line holds no token: it names a file that only this user can read.
func TestOpenShowsNoToken(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("browsers are opened by other commands there")
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("TMPDIR", t.TempDir())
	said := filepath.Join(bin, "said")
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\" > "+said+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	remove, err := Open("http://127.0.0.1:1234/t0ken/c/a%22b/")
	if err != nil {
		t.Fatal(err)
	}
	given, err := os.ReadFile(said)
	if err != nil || strings.Contains(string(given), "t0ken") || strings.Contains(string(given), "127.0.0.1") {
		t.Errorf("the command line is %q (%v)", given, err)
	}
	path := strings.TrimPrefix(strings.TrimSpace(string(given)), "file://")
	page, err := os.ReadFile(path)
	if err != nil || strings.Count(string(page), `http://127.0.0.1:1234/t0ken/c/a%22b/"`) != 2 {
		t.Errorf("the file leads elsewhere: %s (%v)", page, err)
	}
	for at, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(at); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v (%v)", at, info.Mode(), err)
		}
	}
	remove()
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Error("the file is left")
	}
}
