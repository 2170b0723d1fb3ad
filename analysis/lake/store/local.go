package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// MaxObject caps what is held in memory of one object.
	MaxObject = 256 << 20
	maxKey    = 700
	maxName   = 200 // of one part of a key; file systems stop at 255
	// staleAfter is the age at which a temporary file has no living writer.
	staleAfter = time.Hour
	temporary  = ".tmp-"
	lockFile   = ".lock"
	// reserveFile is a file without meaning; see Reserve.
	reserveFile = ".reserve"
)

// Open returns the store at location: a path or file:// URL is a local directory, made if needed;
// open is called for s3://bucket/prefix.
func Open(location string, open func(location string) (Store, error)) (Store, error) {
	scheme, _, ok := strings.Cut(location, "://")
	switch {
	case location == "":
		return nil, errors.New("the lake has no location; it is a directory such as ./lake")
	case !ok:
		return NewLocal(location)
	case scheme == "file":
		u, err := url.Parse(location)
		if err != nil || u.Host != "" && u.Host != "localhost" || u.Path == "" {
			return nil, fmt.Errorf("lake %s: a file URL is file:///absolute/path", location)
		}
		return NewLocal(u.Path)
	case scheme == "s3":
		return open(location)
	}
	return nil, fmt.Errorf("lake %s: %q is not known; the lake is a directory such as ./lake", location, scheme)
}

// Local is a Store in a directory. A PUT writes a temporary file, syncs it,
// gives it its name (which fails if the name is taken) and syncs the directory:
// after a power failure the object is there whole or not at all. Several
// processes may use one directory. Directories are 0700, files 0600, with the rights
// that GroupRights gives a group, and nothing outside the directory is ever touched. An ETag is the content's
// SHA-256; List leaves it empty, because it would have to read every file.
type Local struct {
	root  *os.Root
	dirs  *dirs
	stamp string       // makes the names of temporary files this instance's own
	count atomic.Int64 // of temporary files

	requests chan struct{} // under way at once: each holds files open
	locking  sync.Mutex    // one of this process's goroutines waits for the lock
}

// Folder returns the path of the directory, as it was given to NewLocal.
func (l *Local) Folder() string { return l.root.Name() }

// begin waits until a request may hold files open, and returns what ends it.
func (l *Local) begin() (end func()) {
	l.requests <- struct{}{}
	return func() { <-l.requests }
}

// NewLocal opens or makes the directory.
func NewLocal(dir string) (*Local, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("lake %s: %w", dir, err)
	}
	group := GroupRights(dir)
	if err := os.MkdirAll(dir, 0o700|group); err != nil {
		return nil, fmt.Errorf("lake %s: the directory cannot be made: %w", dir, explainFull(err))
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("lake %s: the directory cannot be opened: %w", dir, err)
	}
	return &Local{root: root, dirs: newDirs(root, group),
		requests: make(chan struct{}, share(OpenFiles(), filesOfRequest, maxRequests)),
		stamp:    fmt.Sprintf("%s%d-%016x-", temporary, os.Getpid(), rand.Uint64())}, nil
}

// Close closes the directory.
func (l *Local) Close() error {
	l.dirs.close()
	return l.root.Close()
}

// fileRoom is the room of a small file.
const fileRoom = 16 << 10

// Free returns how many bytes can still be stored, in small files if the file system limits their
// number.
func (l *Local) Free() (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(l.root.Name(), &s); err != nil {
		return 0, fmt.Errorf("lake %s: %w", l.root.Name(), err)
	}
	free := int64(s.Bavail) * int64(s.Bsize) //nolint:unconvert // of other types on other systems
	if s.Files > 0 {
		free = min(free, int64(min(s.Ffree, 1<<40))*fileRoom)
	}
	return free, nil
}

// Reserve reserves this many bytes on the disk until Unreserve, in a file that no reader sees; it
// reuses one that a killed process left.
func (l *Local) Reserve(bytes int64) (err error) {
	f, err := l.root.OpenFile(reserveFile, os.O_WRONLY|os.O_CREATE, l.dirs.fileMode())
	if err == nil {
		err = allocate(f, bytes)
		err = errors.Join(err, f.Close())
	}
	return l.explainError("reserving", reserveFile, err)
}

// fill writes bytes that no file system compresses.
func fill(f *os.File, bytes int64) error {
	_, err := io.CopyN(f, rand.NewChaCha8([32]byte{}), bytes)
	return err
}

// Unreserve frees what Reserve has reserved.
func (l *Local) Unreserve() error {
	if err := l.root.Remove(reserveFile); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (l *Local) PutIfAbsent(ctx context.Context, key string, data []byte) error {
	err := l.putFile(ctx, key, data, func(d *dir, temp, name string) error {
		err := d.nameFile(temp, name)
		if isUnsupported(err) {
			return l.renameFree(d, temp, name)
		}
		return err
	})
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", key, ErrExists)
	}
	return l.explainError("storing", key, err)
}

// Link makes a hard link.
func (l *Local) Link(ctx context.Context, key, another string) error {
	if err := errors.Join(ctx.Err(), CheckKey(key), CheckKey(another)); err != nil {
		return err
	}
	end := l.begin()
	err := l.dirs.withDirectory(path.Dir(another), true, func(*dir) error { return l.root.Link(key, another) })
	if end(); isUnsupported(err) {
		return l.copyObject(ctx, key, another)
	}
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s: %w", another, ErrExists)
	}
	return l.explainError("naming", another, err)
}

func (l *Local) Replace(ctx context.Context, key string, data []byte, etag string) error {
	if err := CheckKey(key); err != nil {
		return err
	}
	unlock, err := l.lockLake()
	if err != nil {
		return l.explainError("replacing", key, err)
	}
	defer unlock()
	if etag != "" {
		switch there, err := l.Head(ctx, key); {
		case errors.Is(err, fs.ErrNotExist) || err == nil && there.ETag != etag:
			return fmt.Errorf("%s: %w", key, ErrChanged)
		case err != nil:
			return err
		}
	}
	return l.explainError("replacing", key, l.putFile(ctx, key, data, func(d *dir, temp, name string) error {
		return d.root.Rename(temp, name)
	}))
}

// putFile writes and syncs a temporary file, names it and syncs the directory.
func (l *Local) putFile(ctx context.Context, key string, data []byte,
	name func(d *dir, temp, name string) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := CheckKey(key); err != nil {
		return err
	}
	if len(data) > MaxObject {
		return fmt.Errorf("%d bytes are too many; an object has at most %d", len(data), MaxObject)
	}
	defer l.begin()()
	parent, base := path.Split(key)
	return l.dirs.withDirectory(path.Clean(parent), true, func(d *dir) error {
		temp := fmt.Sprintf("%s%x", l.stamp, l.count.Add(1))
		if err := d.writeFile(temp, data); err != nil {
			return err
		}
		if err := name(d, temp, base); err != nil {
			_ = d.root.Remove(temp)
			if errors.Is(err, fs.ErrExist) { // a process that reads it now may rely on it
				return errors.Join(err, d.sync(d.file))
			}
			return err
		}
		return d.sync(d.file)
	})
}

func (l *Local) Get(ctx context.Context, key string) (data []byte, err error) {
	err = l.openFile(ctx, key, func(f *os.File, size int64) error {
		data = make([]byte, size)
		_, err := io.ReadFull(f, data)
		return err
	})
	if err != nil {
		return nil, l.explainError("reading", key, err)
	}
	return data, nil
}

func (l *Local) Head(ctx context.Context, key string) (Object, error) {
	o := Object{Key: key}
	err := l.openFile(ctx, key, func(f *os.File, _ int64) error {
		h := sha256.New()
		n, err := io.Copy(h, f)
		o.Size, o.ETag = n, hex.EncodeToString(h.Sum(nil))
		return err
	})
	if err != nil {
		return Object{}, l.explainError("reading", key, err)
	}
	return o, nil
}

func (l *Local) openFile(ctx context.Context, key string, read func(f *os.File, size int64) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := CheckKey(key); err != nil {
		return err
	}
	defer l.begin()()
	parent, base := path.Split(key)
	return l.dirs.withDirectory(path.Clean(parent), false, func(d *dir) error {
		f, err := OpenFileIn(d.root, base)
		if errors.Is(err, errIrregular) {
			return &fs.PathError{Op: "open", Path: key, Err: fs.ErrNotExist}
		}
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		switch {
		case err != nil:
			return err
		case info.Size() > MaxObject:
			return fmt.Errorf("%d bytes are too many; an object has at most %d", info.Size(), MaxObject)
		}
		return read(f, info.Size())
	})
}

// Delete removes an object. It does not sync: after a power failure the object may be there again.
func (l *Local) Delete(ctx context.Context, key string) error {
	return l.delete(ctx, key, func() error {
		parent, base := path.Split(key)
		err := l.dirs.withDirectory(path.Clean(parent), false, func(d *dir) error { return d.root.Remove(base) })
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}

// delete removes what a key names, with the lake locked.
func (l *Local) delete(ctx context.Context, key string, remove func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := CheckKey(key); err != nil {
		return err
	}
	unlock, err := l.lockLake()
	if err != nil {
		return l.explainError("deleting", key, err)
	}
	defer unlock()
	defer l.begin()()
	return l.explainError("deleting", key, remove())
}

// RemoveFolder removes the folder prefix with everything in it, including files that List hides and
// those of interrupted writes; a missing folder is no error.
func (l *Local) RemoveFolder(ctx context.Context, prefix string) error {
	key := path.Clean(prefix)
	return l.delete(ctx, key, func() error { return l.root.RemoveAll(key) })
}

// lockLake keeps other goroutines and processes from replacing and deleting.
func (l *Local) lockLake() (unlock func(), err error) {
	l.locking.Lock()
	f, err := l.root.OpenFile(lockFile, os.O_CREATE|os.O_RDWR, l.dirs.fileMode())
	if err != nil {
		l.locking.Unlock()
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err == nil {
			return func() { _ = f.Close(); l.locking.Unlock() }, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			_ = f.Close()
			l.locking.Unlock()
			if isUnsupported(err) {
				err = fmt.Errorf("its file system has no locks (flock), without which two programs could overwrite "+
					"each other: %w", err)
			}
			return nil, fmt.Errorf("lock: %w", err)
		}
	}
}

func (l *Local) explainError(doing, key string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("lake %s: %s %s: %w", l.Folder(), doing, key, explainFull(err))
}

// explainFull says in words what a full disk means.
func explainFull(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return fmt.Errorf("the disk is full; make room and run the same command again, what was stored is safe: %w", err)
	}
	return err
}

// CheckKey returns an error unless key consists of slash-separated names of printable characters,
// none of which begins with a dot.
func CheckKey(key string) error {
	if len(key) > maxKey || !utf8.ValidString(key) ||
		strings.ContainsFunc(key, func(r rune) bool { return r == '\\' || !unicode.IsPrint(r) }) {
		return fmt.Errorf("lake: %.80q is not a name of an object: it has at most %d printable characters", key, maxKey)
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part[0] == '.' || len(part) > maxName {
			return fmt.Errorf("lake: %.80q is not a name of an object: its parts are not empty, do not begin with a "+
				"dot and have at most %d bytes", key, maxName)
		}
	}
	return nil
}
