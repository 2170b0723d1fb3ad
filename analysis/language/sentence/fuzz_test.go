package sentence

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A folder of a stranger's model: it is opened and embeds, or an error says why not.
func FuzzFolder(f *testing.F) {
	const tiny = "testdata/tiny"
	var names []string
	err := fs.WalkDir(os.DirFS(tiny), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(tiny, path))
		f.Add(data, uint8(len(names)))
		names = append(names, path)
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint8) {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(tiny)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, names[int(at)%len(names)]), data, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := Open(dir, "")
		if err != nil {
			return
		}
		if _, err := m.Embed(t.Context(), []string{"", "a word", "\xff é\x00 [MASK]"}); err != nil && err.Error() == "" {
			t.Error("an error without a word")
		}
	})
}
