package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// GroupRights returns the rights of the group of a lake's folder dir, which everything created
// below gets as far as the umask allows. A missing dir will have those of its parent if that passes
// its group on (setgid), else none.
func GroupRights(dir string) fs.FileMode {
	info, err := os.Stat(dir)
	if err != nil {
		if info, err = os.Stat(filepath.Dir(dir)); err != nil || info.Mode()&fs.ModeSetgid == 0 {
			return 0
		}
	}
	if info.Mode()&0o020 == 0 { // who may only read cannot work in it
		return 0
	}
	return 0o070
}

// isUnsupported reports whether a file system lacks what it was asked for: exFAT, SMB and
// cloud drives have no hard links, some have no locks.
func isUnsupported(err error) bool {
	for _, lacks := range []error{syscall.EPERM, syscall.ENOTSUP, syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EMLINK,
		syscall.ENOLCK} {
		if errors.Is(err, lacks) {
			return true
		}
	}
	return false
}

// renameFree gives a file its name, if that is free, where there are no hard links: the
// lake's lock keeps others from taking the name in between.
func (l *Local) renameFree(d *dir, temp, name string) error {
	unlock, err := l.lockLake()
	if err != nil {
		return err
	}
	defer unlock()
	if _, err := d.root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fs.ErrExist)
	}
	return d.root.Rename(temp, name)
}

// copyObject gives an object a second name where there are no hard links.
func (l *Local) copyObject(ctx context.Context, key, another string) error {
	data, err := l.Get(ctx, key)
	if err != nil {
		return err
	}
	return l.PutIfAbsent(ctx, another, data)
}
