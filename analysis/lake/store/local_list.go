package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func (l *Local) List(ctx context.Context, prefix string) ([]Object, error) {
	if prefix != "" {
		if !strings.HasSuffix(prefix, "/") {
			return nil, fmt.Errorf("lake: prefix %q does not end in a slash", prefix)
		}
		if err := CheckKey(strings.TrimSuffix(prefix, "/")); err != nil {
			return nil, err
		}
	}
	defer l.begin()()
	r, err := openFolder(l.root, path.Clean(prefix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, l.explainError("listing", prefix, err)
	}
	var all []Object
	if err := walkPrefix(ctx, r, prefix, &all); err != nil {
		return nil, l.explainError("listing", prefix, err)
	}
	slices.SortFunc(all, func(a, b Object) int { return strings.Compare(a.Key, b.Key) })
	return all, nil
}

// walkPrefix adds the objects in r, which it closes, and sweeps what killed writers left.
func walkPrefix(ctx context.Context, r *os.Root, prefix string, all *[]Object) error {
	defer r.Close()
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := fs.ReadDir(r.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, temporary) {
			sweepTemp(r, name)
		}
		if strings.HasPrefix(name, ".") {
			continue
		}
		if e.IsDir() {
			sub, err := r.OpenRoot(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = walkPrefix(ctx, sub, prefix+name+"/", all)
			}
			if err != nil {
				return err
			}
			continue
		}
		info, err := e.Info() // which a directory of a Root has read already
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted meanwhile
		}
		if err != nil {
			return err
		}
		if info.Mode().IsRegular() {
			*all = append(*all, Object{Key: prefix + name, Size: info.Size()})
		}
	}
	return nil
}

func sweepTemp(r *os.Root, name string) {
	if info, err := r.Lstat(name); err == nil && time.Since(info.ModTime()) > staleAfter {
		_ = r.Remove(name)
	}
}

// Folders returns the names of the directories directly below a prefix, sorted.
func (l *Local) Folders(ctx context.Context, prefix string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := l.readKinds(path.Clean(prefix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var folders []string
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	slices.Sort(folders)
	return folders, l.explainError("listing", prefix, err)
}

// Keys returns the keys of the files directly in the folder prefix, in no order, without a system
// call for each file.
func (l *Local) Keys(ctx context.Context, prefix string) ([]string, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := l.readKinds(path.Clean(prefix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	keys := make([]string, 0, len(entries))
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			keys = append(keys, prefix+e.Name())
		}
	}
	return keys, l.explainError("listing", prefix, err)
}

// readKinds returns a directory's entries as the directory itself has them. A
// directory of a Root asks after each entry: with 100,000 that is most of the time.
func (l *Local) readKinds(dir string) ([]fs.DirEntry, error) {
	defer l.begin()()
	within, err := l.root.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY, 0) // a pipe is not waited for
	if err != nil {
		return nil, err
	}
	defer within.Close()
	fd, err := syscall.Dup(int(within.Fd()))
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(fd)
	plain := os.NewFile(uintptr(fd), filepath.Join(l.root.Name(), dir))
	defer plain.Close()
	return plain.ReadDir(-1)
}
