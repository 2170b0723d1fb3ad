package cli

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Staged files are whole or absent: written under a temporary name first, and under their
// own when all that belongs together is written.

// StagedFile is a whole file that does not have its name yet.
type StagedFile struct {
	Path, temp string
	Rows       int64
	Bytes      int64
}

// CheckOutput refuses a place that is taken, or that no file can have. A path of "" is fine.
func CheckOutput(path string, force bool) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case err == nil && !force:
		return errExists(path)
	case errors.Is(err, fs.ErrNotExist):
		if _, err = os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			err = NoFolder(path)
		}
	}
	return err
}

func errExists(path string) error { return fmt.Errorf("%s exists; --force replaces it", path) }

// StageFile writes a file under a temporary name next to its path, whole and
// synced. An error leaves nothing.
func StageFile(path string, write func(io.Writer) (rows int64, err error)) (s StagedFile, err error) {
	s = StagedFile{Path: path, temp: filepath.Join(filepath.Dir(path), ".roundtable-"+rand.Text())}
	f, err := os.OpenFile(s.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return s, err
	}
	b := bufio.NewWriterSize(f, 1<<16)
	s.Rows, err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if info, e := f.Stat(); e == nil {
		s.Bytes = info.Size()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		s.Discard()
	}
	return s, err
}

// Publish gives the file its name. Without force what is there stays, also if
// it appeared meanwhile.
func (s StagedFile) Publish(force bool) error {
	defer s.Discard()
	if force {
		return os.Rename(s.temp, s.Path)
	}
	err := os.Link(s.temp, s.Path)
	if errors.Is(err, fs.ErrExist) {
		return UsageError(errExists(s.Path))
	}
	if err == nil {
		return nil
	}
	if _, missing := os.Lstat(s.Path); !errors.Is(missing, fs.ErrNotExist) { // a file system without links
		return UsageError(errExists(s.Path))
	}
	return os.Rename(s.temp, s.Path)
}

// CopyTo writes what is in the file, before it has its name.
func (s StagedFile) CopyTo(w io.Writer) error {
	f, err := os.Open(s.temp)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// Discard removes what has not got its name.
func (s StagedFile) Discard() { _ = os.Remove(s.temp) }
