package scaffold

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"text/template"

	"roundtable/workflows/catalogue"
)

// isTaken reports whether the catalogue has a plug-in of that name.
func isTaken(plugins catalogue.Catalogue, of, name string) bool {
	var err error
	switch of {
	case "rule":
		_, err = catalogue.Find(of, plugins.Rules, name)
	case "stop":
		_, err = catalogue.Find(of, plugins.Stopping, name)
	case "protocol":
		_, err = catalogue.Find(of, plugins.Protocols, name)
	case "env":
		_, err = catalogue.Find(of, plugins.Environments, name)
	}
	return err == nil
}

// fill executes a template whose marks are [[ and ]], because prompts have {{ and }} of their own.
func fill(text string, data any) ([]byte, error) {
	t, err := template.New("").Delims("[[", "]]").Option("missingkey=error").Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, data)
	return b.Bytes(), err
}

// writeAll writes texts by path and returns the paths in order. A file that
// appears meanwhile is not replaced.
func writeAll(root string, texts map[string][]byte) (written []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return written, err
		}
		f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return written, err
		}
		if _, err = f.Write(texts[name]); err == nil {
			err = f.Close()
		}
		if err != nil {
			return written, err
		}
		written = append(written, name)
	}
	return written, nil
}
