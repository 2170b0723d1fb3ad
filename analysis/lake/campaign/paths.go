package campaign

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"roundtable/analysis/lake/store"
)

// Paths say where this machine has the files that a plan names. They are kept out of the lake,
// which may be published.
type Paths struct {
	// of the campaign file: paths of models and programs are relative to it; "" is the working directory
	Folder string `json:"folder"`
	Data   string `json:"data,omitempty"` // folder of the data set; "" if it is not known
}

// WithPaths returns a store that keeps the Paths of each campaign outside of the lake, in the file
// that fileOf names.
func WithPaths(s store.Store, fileOf func(campaign string) string) store.Store {
	return &located{s, fileOf}
}

type located struct {
	store.Store
	fileOf func(campaign string) string
}

// Unwrap returns the lake.
func (l *located) Unwrap() store.Store { return l.Store }

const maxPaths = 64 << 10

// readPaths returns the paths of a campaign that this machine knows and still has.
func readPaths(s store.Store, campaign string) (p Paths, err error) {
	l, ok := store.As[*located](s)
	if !ok {
		return p, nil
	}
	data, err := store.ReadFile(l.fileOf(campaign), maxPaths)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) { // or another person's
		return p, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return p, fmt.Errorf("%s, where this machine keeps the folders of %s, cannot be read (delete it and run the "+
			"campaign's file again): %w", l.fileOf(campaign), campaign, err)
	}
	for _, path := range []*string{&p.Folder, &p.Data} {
		if _, err := os.Stat(*path); errors.Is(err, fs.ErrNotExist) { // it was moved
			*path = ""
		}
	}
	return p, nil
}

// keepPaths notes the paths of a plan for later commands on this machine.
func keepPaths(s store.Store, p Plan) error {
	l, ok := store.As[*located](s)
	if !ok || p.Folder == "" {
		return nil
	}
	data, err := json.Marshal(p.Paths)
	if err != nil {
		return err
	}
	path := l.fileOf(p.Campaign.Name)
	if known, err := store.ReadFile(path, maxPaths); err == nil && bytes.Equal(known, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	fresh := path + ".new"
	if err := os.WriteFile(fresh, data, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}

// HidePaths returns text, such as an error's, with the folders of this machine replaced so that the
// lake can hold it: "." for that of the campaign file, "~" for the user's home.
func HidePaths(s store.Store, campaign, text string) string {
	if !strings.ContainsRune(text, filepath.Separator) {
		return text
	}
	known, err := readPaths(s, campaign)
	if err != nil {
		known = Paths{} // who needs them says so
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	names := map[string]string{home: "~", known.Data: "(data)", known.Folder: "."}
	if local, ok := store.As[*store.Local](s); ok {
		names[local.Folder()] = "(lake)"
	}
	paths := slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	for _, path := range paths {
		if len(path) > 1 {
			text = strings.ReplaceAll(text, path, names[path])
		}
	}
	return text
}
