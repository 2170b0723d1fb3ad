package providers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"roundtable/activities/programs"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
)

// FileFolder resolves the paths in a campaign file, which are relative to the file's folder.
type FileFolder struct{ Folder string }

// NewFileFolder returns the FileFolder for a file in folder.
func NewFileFolder(folder string) FileFolder { return FileFolder{folder} }

// Path returns the absolute path for a path in the file.
func (b FileFolder) Path(name string) (string, error) {
	if filepath.IsAbs(name) {
		return name, nil
	}
	return filepath.Abs(filepath.Join(b.Folder, name))
}

// OpenData opens a folder that the file names.
func (b FileFolder) OpenData(name string) (fs.FS, error) {
	path, err := b.Path(name)
	if err != nil {
		return nil, err
	}
	return OpenData(path)
}

// OpenData opens the folder of a data set.
func OpenData(path string) (fs.FS, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the data folder %s cannot be opened: %w", path, errors.Unwrap(err))
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", path)
	}
	root, err := os.OpenRoot(path) // links inside it cannot lead out of it
	if err != nil {
		return nil, err
	}
	return store.RegularFS(root), nil
}

// Sources returns how data sets are opened and programs are called for a plan; nothing is recorded. The data
// set is in the plan's folder, or for a fork in the lake.
func Sources(s store.Store, p campaign.Plan) setup.Sources {
	sources := setup.Sources{Data: OpenData, Programs: programs.New(s).Asking}
	if len(p.Campaign.Conditions) > 0 && p.Campaign.Conditions[0].Fork != nil {
		sources.Lake = s
	}
	return sources
}
