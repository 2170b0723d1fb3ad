package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"roundtable/cmd/internal/cli"
)

// staged is a whole file that does not have its name yet.
type staged struct {
	path, temp string
	rows       int64
	bytes      int64
}

// writable refuses a place that is taken, or that no file can have. A path of "" is fine.
func writable(path string, force bool) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", path)
	case err == nil && !force:
		return taken(path)
	case errors.Is(err, fs.ErrNotExist):
		if _, err = os.Stat(filepath.Dir(path)); errors.Is(err, fs.ErrNotExist) {
			err = cli.NoFolder(path)
		}
	}
	return err
}

func taken(path string) error { return fmt.Errorf("%s exists; --force replaces it", path) }

// stage writes a file under a temporary name beside its path, whole and
// synced. An error leaves nothing.
func stage(path string, write func(io.Writer) (rows int64, err error)) (s staged, err error) {
	s = staged{path: path, temp: filepath.Join(filepath.Dir(path), ".roundtable-"+rand.Text())}
	f, err := os.OpenFile(s.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return s, err
	}
	b := bufio.NewWriterSize(f, 1<<16)
	s.rows, err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if info, e := f.Stat(); e == nil {
		s.bytes = info.Size()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		s.drop()
	}
	return s, err
}

// publish gives the file its name. Without force what is there stays, also if
// it appeared meanwhile.
func (s staged) publish(force bool) error {
	defer s.drop()
	if force {
		return os.Rename(s.temp, s.path)
	}
	err := os.Link(s.temp, s.path)
	if errors.Is(err, fs.ErrExist) {
		return cli.UsageError(taken(s.path))
	}
	if err == nil {
		return nil
	}
	if _, missing := os.Lstat(s.path); !errors.Is(missing, fs.ErrNotExist) { // a file system without links
		return cli.UsageError(taken(s.path))
	}
	return os.Rename(s.temp, s.path)
}

// drop removes what has not got its name.
func (s staged) drop() { _ = os.Remove(s.temp) }

// single says that the output is a file: its name ends in a format.
func (x *export) single() bool {
	info, err := os.Stat(x.output)
	_, unknown := cli.ChooseFormat("", x.output, false, exportFormats)
	return unknown == nil && (err != nil || !info.IsDir())
}

// strange says that the output is no folder yet and its name ends like that of
// a file of another format, which nobody wants as a folder.
func (x *export) strange() bool {
	_, err := os.Stat(x.output)
	return err != nil && filepath.Ext(x.output) != "" && !os.IsPathSeparator(x.output[len(x.output)-1]) && !x.single()
}
