package store

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
	"syscall"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// dir is an open directory.
type dir struct {
	root     *os.Root
	file     *os.File // the same directory, for syncing
	users    int
	dropped  bool
	anchored bool        // its entry in its parent is known to be durable
	mode     fs.FileMode // of its files
	sync     func(*os.File) error
}

// writeFile makes a file and syncs it.
func (d *dir) writeFile(name string, data []byte) error {
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, d.mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = d.sync(f)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = d.root.Remove(name)
	}
	return err
}

// nameFile gives a file its name, if that is free.
func (d *dir) nameFile(temp, name string) error {
	if err := d.root.Link(temp, name); err != nil {
		return err
	}
	return d.root.Remove(temp)
}

func (d *dir) close() {
	_ = d.root.Close()
	_ = d.file.Close()
}

// dirs are the open directories below a root, the least used closed first.
type dirs struct {
	mu    sync.Mutex
	root  *os.Root
	open  *simplelru.LRU[string, *dir]
	group fs.FileMode          // see GroupRights
	sync  func(*os.File) error // tests see what is synced, and let it fail
}

func newDirs(root *os.Root, group fs.FileMode) *dirs {
	ds := &dirs{root: root, group: group, sync: syncFile}
	// Walking down from the root costs more than the rest of a PUT's bookkeeping.
	// under ds.mu
	ds.open, _ = simplelru.NewLRU(share(OpenFiles(), filesOfDirectory, maxDirectories), func(_ string, d *dir) {
		d.dropped = true
		if d.users == 0 {
			d.close()
		}
	})
	return ds
}

// syncFile syncs a file or directory. Some file systems of networks refuse that for
// directories, whose entries are then as durable as their server makes them.
func syncFile(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}

func (ds *dirs) fileMode() fs.FileMode { return 0o600 | ds.group&0o060 }

func (ds *dirs) close() {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.open.Purge()
}

// withDirectory does something in a directory, which is made if make is set. An open
// directory that another process has removed meanwhile is opened again.
func (ds *dirs) withDirectory(name string, make bool, do func(*dir) error) error {
	d, held, err := ds.takeDirectory(name, make)
	if err != nil {
		return err
	}
	err = do(d)
	ds.release(d)
	if !held || !errors.Is(err, fs.ErrNotExist) || !d.isGone() {
		return err
	}
	ds.mu.Lock()
	if now, ok := ds.open.Peek(name); ok && now == d {
		ds.open.Remove(name)
	}
	ds.mu.Unlock()
	return ds.withDirectory(name, make, do)
}

// isGone reports whether the directory was removed: it has no links left.
func (d *dir) isGone() bool {
	info, err := d.file.Stat()
	if err != nil {
		return true
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink == 0
}

// takeDirectory hands out an open directory; held says that it was open before.
func (ds *dirs) takeDirectory(name string, make bool) (d *dir, held bool, err error) {
	ds.mu.Lock()
	d, held = ds.open.Get(name)
	if held {
		d.users++
	}
	anchored := held && d.anchored
	ds.mu.Unlock()
	if make && !anchored {
		err = ds.makeDurable(name)
	}
	if err == nil && !held {
		d, err = ds.openDirectory(name)
	}
	if err != nil {
		if held {
			ds.release(d)
		}
		return nil, false, err
	}
	if make && !anchored {
		ds.mu.Lock()
		d.anchored = true
		ds.mu.Unlock()
	}
	return d, held, nil
}

// makeDurable makes the directory if needed and makes its entry durable.
func (ds *dirs) makeDurable(name string) error {
	if name == "." {
		return nil
	}
	parent, base := path.Split(name)
	return ds.withDirectory(path.Clean(parent), true, func(p *dir) error {
		if err := p.root.Mkdir(base, 0o700|ds.group); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return p.sync(p.file)
	})
}

// openFolder opens a folder; a pipe in its place, which would be waited for, is none.
func openFolder(root *os.Root, name string) (*os.Root, error) {
	if info, err := root.Stat(name); err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOTDIR}
	}
	return root.OpenRoot(name)
}

func (ds *dirs) openDirectory(name string) (*dir, error) {
	root, err := openFolder(ds.root, name)
	if err != nil {
		return nil, err
	}
	file, err := root.Open(".")
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	d := &dir{root: root, file: file, users: 1, mode: ds.fileMode(), sync: ds.sync}
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if other, ok := ds.open.Get(name); ok {
		d.close()
		other.users++
		return other, nil
	}
	ds.open.Add(name, d)
	return d, nil
}

func (ds *dirs) release(d *dir) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if d.users--; d.users == 0 && d.dropped {
		d.close()
	}
}
