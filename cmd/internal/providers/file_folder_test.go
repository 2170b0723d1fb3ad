package providers_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"roundtable/cmd/internal/providers"
)

// TestDataStaysInItsFolder: neither names nor links of a stranger's data set or
// prompts lead to other files.
func TestDataStaysInItsFolder(t *testing.T) {
	base := t.TempDir()
	folder := filepath.Join(base, "data")
	if err := errors.Join(
		os.Mkdir(folder, 0o700), os.WriteFile(filepath.Join(base, "secret"), []byte("x"), 0o600),
		os.WriteFile(filepath.Join(folder, "own"), []byte("x"), 0o600),
		os.Symlink("../secret", filepath.Join(folder, "link")), os.Symlink("..", filepath.Join(folder, "folder")),
	); err != nil {
		t.Fatal(err)
	}
	files, err := providers.FileFolder{Folder: base}.OpenData("data")
	if err != nil {
		t.Fatal(err)
	}
	for name, found := range map[string]bool{"own": true, "link": false, "folder/secret": false, "../secret": false, filepath.Join(base, "secret"): false} {
		if _, err := fs.ReadFile(files, name); (err == nil) != found {
			t.Errorf("%s: %v", name, err)
		}
	}
}
