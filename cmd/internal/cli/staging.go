package cli

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// Staged files are whole or absent: written under a temporary name first, and under their
// own when all that belongs together is written.

// StagedFile is a file that is completely written under a temporary name. Publish renames it, Discard deletes
// it.
type StagedFile struct {
	Path, temp string
	Rows       int64
	Bytes      int64
	held       *os.File // locked while this process writes it
}

// StageFile writes and syncs a file under a temporary name next to path. After an error nothing is left.
func StageFile(path string, write func(io.Writer) (rows int64, err error)) (s StagedFile, err error) {
	sweepStaged(filepath.Dir(path))
	s = StagedFile{Path: path, temp: filepath.Join(filepath.Dir(path), staged+rand.Text())}
	f, err := os.OpenFile(s.temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return s, err
	}
	s.held = f
	hold(f)
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
	if err != nil {
		s.Discard()
	}
	return s, err
}

// staged begins the names of what is being written; a random text follows.
const staged = ".roundtable-"

var stagedName = regexp.MustCompile(`^\.roundtable-[A-Z2-7]{26}$`)

// leftAfter is how old what is swept has to be: on some shared file systems a lock holds on its own machine only.
const leftAfter = time.Hour

// hold tells sweepStaged that this process writes f, until it is closed. Where files have no locks, nothing is
// swept.
func hold(f *os.File) { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) }

// sweepStaged deletes what killed commands have left in a folder.
func sweepStaged(folder string) {
	left, err := os.ReadDir(folder)
	if err != nil {
		return // the write says so
	}
	for _, entry := range left {
		if !stagedName.MatchString(entry.Name()) {
			continue
		}
		if info, err := entry.Info(); err != nil || time.Since(info.ModTime()) < leftAfter {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
		if err != nil {
			continue
		}
		if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			_ = os.RemoveAll(path)
		}
		f.Close()
	}
}

// Publish renames the file to its path. Without force it fails if something is there, even if it appeared
// meanwhile.
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

// StagedFolder is a temporary folder whose files Finish publishes when all are written.
type StagedFolder struct {
	At   string // where files are written
	path string
	made newFolders
	held *os.File // locked while this process writes it
}

// StageFolder creates a temporary folder next to path, or in it if path exists. A writer that is interrupted
// leaves only that folder.
func StageFolder(path string) (f StagedFolder, err error) {
	f.path, f.made = filepath.Clean(path), missingFolders(filepath.Dir(filepath.Clean(path)))
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return f, err
	}
	parent := filepath.Dir(f.path)
	if info, err := os.Stat(f.path); err == nil && info.IsDir() { // perhaps of another disk than its parent
		parent = f.path
	}
	sweepStaged(parent)
	f.At = filepath.Join(parent, staged+rand.Text())
	if err := os.Mkdir(f.At, 0o755); err != nil {
		return f, err
	}
	if f.held, err = os.Open(f.At); err == nil {
		hold(f.held)
	}
	return f, nil
}

// Finish publishes the folder if err is nil: it gets its name, or its files move into the folder that is
// there. Otherwise it deletes what was written. It returns err or its own error.
func (f StagedFolder) Finish(err error) error {
	if f.held != nil {
		defer f.held.Close()
	}
	switch {
	case err != nil:
	case filepath.Dir(f.At) == f.path:
		err = f.moveFiles()
	default:
		if err = os.Rename(f.At, f.path); err != nil { // it may have been made meanwhile
			err = f.moveFiles()
		}
	}
	if err != nil {
		_ = os.RemoveAll(f.At)
		f.made.Discard()
	}
	return err
}

// moveFiles gives each file its place in a folder that is there.
func (f StagedFolder) moveFiles() error {
	err := filepath.WalkDir(f.At, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(f.path, strings.TrimPrefix(at, f.At))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		return os.Rename(at, to)
	})
	if err == nil {
		err = os.RemoveAll(f.At)
	}
	return err
}

// CopyTo writes the contents of the file to w; call it before Publish or Discard.
func (s StagedFile) CopyTo(w io.Writer) error {
	f, err := os.Open(s.temp)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// Discard deletes the file if it was not published.
func (s StagedFile) Discard() {
	_ = os.Remove(s.temp)
	if s.held != nil {
		_ = s.held.Close()
	}
}
