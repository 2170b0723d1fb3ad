package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// Where a file system has no hard links, one writer still wins and nothing is overwritten.
func TestWithoutHardLinks(t *testing.T) {
	l, err := NewLocal(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	put := func(key, text string) error {
		return l.putFile(t.Context(), key, []byte(text), l.renameFree)
	}
	var won atomic.Int32
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			if err := put("a/b", fmt.Sprint(i)); err == nil {
				won.Add(1)
			} else if !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
		})
	}
	if writers.Wait(); won.Load() != 1 {
		t.Errorf("%d writers won", won.Load())
	}
	if err := l.copyObject(t.Context(), "a/b", "a/c"); err != nil {
		t.Error(err)
	}
	if err := l.copyObject(t.Context(), "a/b", "a/c"); !errors.Is(err, ErrExists) {
		t.Errorf("a second name that is taken: %v", err)
	}
	for _, err := range []error{syscall.EPERM, &os.LinkError{Err: syscall.ENOTSUP}, &os.PathError{Err: syscall.ENOSYS}} {
		if !isUnsupported(err) {
			t.Errorf("%v is taken for another error", err)
		}
	}
	if isUnsupported(fs.ErrExist) || isUnsupported(syscall.EACCES) || isUnsupported(nil) {
		t.Error("other errors are taken for a lack of the file system")
	}
}

// What is made in a folder of a group is the group's; elsewhere it is its owner's alone.
func TestGroupFolders(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o007))
	for name, x := range map[string]struct {
		around, lake fs.FileMode // 0: still to be made
		want         fs.FileMode
	}{
		"private":             {0o755, 0o700, 0o700},
		"read by a group":     {0o755, 0o750, 0o700},
		"of a group":          {0o755, 0o770, 0o770},
		"to be made":          {0o775, 0, 0o700},
		"to be made, setgid":  {0o770 | fs.ModeSetgid, 0, 0o770},
		"made before, setgid": {0o755, 0o770 | fs.ModeSetgid, 0o770},
	} {
		around := filepath.Join(t.TempDir(), "around")
		dir := filepath.Join(around, "lake")
		if err := errors.Join(os.Mkdir(around, 0o700), os.Chmod(around, x.around)); err != nil {
			t.Fatal(err)
		}
		if x.lake != 0 {
			if err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, x.lake)); err != nil {
				t.Fatal(err)
			}
		}
		l, err := NewLocal(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(l.PutIfAbsent(t.Context(), "a/b", nil), l.Replace(t.Context(), "a/c", nil, "")); err != nil {
			t.Error(err)
		}
		l.Close()
		for file, want := range map[string]fs.FileMode{"a": x.want, "a/b": x.want & 0o660, "a/c": x.want & 0o660, lockFile: x.want & 0o660} {
			if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %s is %v, want %v: %v", name, file, info.Mode(), want, err)
			}
		}
	}
}
