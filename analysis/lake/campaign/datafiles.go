package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"slices"
)

// DataFiles is a folder of data that records the SHA-256 of each file read in it, since a data set
// that changes during a campaign would change the questions of its cells.
type DataFiles struct {
	folder fs.FS
	Sums   map[string]string // by name
}

// NewDataFiles returns folder with no sums recorded yet.
func NewDataFiles(folder fs.FS) *DataFiles {
	return &DataFiles{folder: folder, Sums: map[string]string{}}
}

// Open opens a file, and records its sum once it was read to its end.
func (d *DataFiles) Open(name string) (fs.File, error) {
	f, err := d.folder.Open(name)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return f, err
	}
	return &dataFile{f, sha256.New(), func(sum string) { d.Sums[name] = sum }}, nil
}

type dataFile struct {
	fs.File
	sum  hash.Hash
	note func(sum string)
}

func (f *dataFile) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	f.sum.Write(p[:n])
	if errors.Is(err, io.EOF) {
		f.note(hex.EncodeToString(f.sum.Sum(nil)))
	}
	return n, err
}

// SameData returns an error if a file has different hashes in recorded (by the plan) and read.
// Files in only one of them belong to another environment and are ignored.
func SameData(recorded, read map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		if sum, ok := read[name]; ok && sum != recorded[name] {
			return fmt.Errorf("the data file %s is not the one that the campaign began with; restore it, or run the "+
				"new one under another name", name)
		}
	}
	return nil
}
