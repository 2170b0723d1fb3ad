package recsys

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"
)

// A file of MovieLens is read, or the error names it.
func FuzzFiles(f *testing.F) {
	files := copied(f)
	names := Files()
	for at, file := range names {
		f.Add(files[file.Name].Data, uint8(at))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint8) {
		name := names[int(at)%len(names)].Name
		all := fstest.MapFS{}
		maps.Copy(all, files)
		all[name] = &fstest.MapFile{Data: data}
		if _, err := readFiles(all); err != nil && !strings.Contains(err.Error(), "u.") && !strings.Contains(err.Error(), "u1.") {
			t.Errorf("the error does not name the file: %v", err)
		}
	})
}
