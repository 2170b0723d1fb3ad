package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"roundtable/analysis/storage"
	"slices"
)

// newFolders are those that were made for a lake, the outermost first.
type newFolders []string

// makeLake opens the lake, and makes its folder if it is not there.
func (o *options) makeLake() (storage.Store, newFolders, error) {
	var made newFolders
	if dir, local := o.lakeFolder(); local {
		for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
			if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
				break
			}
			made = append(newFolders{at}, made...)
		}
	}
	s, err := storage.Open(o.lake)
	if err != nil {
		return nil, nil, exit{exitUsage, err}
	}
	return s, made, nil
}

// discard takes the folders away again in which nothing was written.
func (f newFolders) discard() {
	for _, folder := range slices.Backward(f) {
		_ = os.Remove(folder) // which only an empty folder lets happen
	}
}

// announce says what is new before something is written to it.
func (f newFolders) announce(lake, state string) {
	if len(f) > 0 {
		fmt.Fprintf(os.Stderr, "New lake for answers and tables: %s; state of the engine: %s\n", lake, state)
	}
}
