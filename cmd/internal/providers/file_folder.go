package providers

import (
	"io/fs"
	"path/filepath"

	"roundtable/activities/programs"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
)

// FileFolder resolves the paths in a campaign file, which are relative to the file's folder.
type FileFolder struct{ Folder string }

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
	return setup.OpenFolder(path)
}

// Sources returns how data sets are opened and programs are called for a plan; nothing is recorded. The data
// set is in the plan's folder, or for a fork in the lake.
func Sources(s store.Store, p campaign.Plan) setup.Sources {
	sources := setup.Sources{Data: setup.OpenFolder, Programs: programs.New(s).Asking}
	if len(p.Campaign.Conditions) > 0 && p.Campaign.Conditions[0].Fork != nil {
		sources.Lake = s
	}
	return sources
}
