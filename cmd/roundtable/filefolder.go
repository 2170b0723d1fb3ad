package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// fileFolder finds what a campaign's file names: paths in it are relative to its
// own folder. Without a folder they are relative to the working directory.
type fileFolder struct{ folder string }

// path returns where a path of the file leads. One that leads nowhere although
// the working directory has it was written for earlier versions, and is refused.
func (b fileFolder) path(name string) (string, error) {
	if filepath.IsAbs(name) || b.folder == "" {
		return filepath.Abs(name)
	}
	path, err := filepath.Abs(filepath.Join(b.folder, name))
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, nil
	}
	if _, err := os.Stat(name); err != nil {
		return path, nil // whoever opens it says that it is not there
	}
	instead, err := filepath.Abs(name)
	if folder, e := filepath.Abs(b.folder); e == nil && err == nil {
		if relative, e := filepath.Rel(folder, instead); e == nil {
			instead = relative
		}
	}
	return "", fmt.Errorf("%s is not in the folder of the campaign file, and paths are relative to that file now, not to the working directory (which has it): write %s", name, filepath.ToSlash(instead))
}

// openData opens a folder that the file names.
func (b fileFolder) openData(name string) (fs.FS, error) {
	path, err := b.path(name)
	if err != nil {
		return nil, err
	}
	return openData(path)
}
