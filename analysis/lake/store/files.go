package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// errIrregular marks what may have no end or keep its reader waiting.
var errIrregular = errors.New("is not a regular file, but a pipe, a device or a folder")

// notWaiting opens a file for reading; a pipe without a writer is not waited for.
const notWaiting = os.O_RDONLY | syscall.O_NONBLOCK

// OpenFile opens a regular file. The error is an *fs.PathError.
func OpenFile(path string) (*os.File, error) { return checkRegular(os.OpenFile(path, notWaiting, 0)) }

// OpenFileIn opens a regular file below root; links cannot lead out of it.
func OpenFileIn(root *os.Root, name string) (*os.File, error) {
	return checkRegular(root.OpenFile(name, notWaiting, 0))
}

func checkRegular(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: errIrregular}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFile reads a regular file of at most most bytes. The error is an *fs.PathError.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("has more than %d bytes", most)}
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// RegularFS returns a file system of the regular files and folders below root; links cannot lead
// out of it.
func RegularFS(root *os.Root) fs.FS { return regular{root.FS(), root} }

type regular struct {
	fs.FS
	root *os.Root
}

// OpenFile opens a file or a folder.
func (r regular) Open(name string) (fs.File, error) {
	if info, err := fs.Stat(r.FS, name); err == nil && info.IsDir() {
		return r.FS.Open(name)
	}
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return OpenFileIn(r.root, name)
}

// Stat describes a file or a folder without opening it.
func (r regular) Stat(name string) (fs.FileInfo, error) { return fs.Stat(r.FS, name) }

// ReadDir lists a folder.
func (r regular) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(r.FS, name) }
