// Package lock keeps other processes from what this one holds, by a file.
package lock

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// patience is what a killed process may take to let go: the kernel takes its memory
// away first.
const patience = 2 * time.Second

// ErrInUse says that a lock is already held.
var ErrInUse = errors.New("in use")

// File takes the lock of a file for this process, on this machine or on any that shares the file system with it
// and honours flock. It makes the file and its folder if missing, with group as the group's rights. If the lock is
// still held after 2 s, even by this process, it returns an [ErrInUse] that names the holder. The kernel releases the
// lock when the process ends, however it ends; the file stays and names the last holder.
func File(path string, group fs.FileMode) (io.Closer, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700|group); err != nil {
		return nil, fmt.Errorf("lock of %s: %w", path, err)
	}
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC|syscall.O_NOFOLLOW,
		0o600|uint32(group&0o060))
	if err != nil {
		return nil, fmt.Errorf("lock of %s: %w", path, err)
	}
	err = take(fd)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("%w by %s", ErrInUse, readHolder(fd))
	} else if isUnsupported(err) {
		err = fmt.Errorf("its file system has no locks (flock), without which two programs could buy the same "+
			"answers; use a folder on another file system: %w", err)
	} else if err == nil {
		err = signLock(fd)
	}
	if err != nil {
		syscall.Close(fd)
		return nil, fmt.Errorf("lock of %s: %w", path, err)
	}
	return held(fd), nil
}

// Holder returns, in words, the process that holds the lock of a file; "" if none does.
func Holder(path string) string {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return ""
	}
	defer syscall.Close(fd)
	if err := syscall.Flock(fd, syscall.LOCK_SH|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
		return ""
	}
	return readHolder(fd)
}

// held is a plain descriptor: an os.File would be closed, and the file let go,
// when a program drops its Server without stopping it.
type held int

func (h held) Close() error { return syscall.Close(int(h)) }

// take tries again when a signal came in between, and for a while when it is held.
func take(fd int) (err error) {
	for began := time.Now(); ; {
		err = syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK) && time.Since(began) < patience:
			time.Sleep(20 * time.Millisecond)
		default:
			return err
		}
	}
}

// isUnsupported reports whether a file system lacks what it was asked for.
func isUnsupported(err error) bool {
	return errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) ||
		errors.Is(err, syscall.ENOLCK)
}

// signLock writes into the lock file which process took it, and when. The file is in the lake,
// which is published, so it does not name the machine.
func signLock(fd int) error {
	if err := syscall.Ftruncate(fd, 0); err != nil {
		return err
	}
	_, err := syscall.Pwrite(fd, fmt.Appendf(nil, "%d %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339)), 0)
	return err
}

// ThisProcess returns "process PID since TIME" with the present time, to name this process as a
// holder.
func ThisProcess() string { return describeHolder(strconv.Itoa(os.Getpid()), time.Now()) }

func describeHolder(pid string, since time.Time) string {
	return fmt.Sprintf("process %s since %s", pid, since.UTC().Format("2006-01-02 15:04:05 UTC"))
}

// readHolder says who signed. Anything else in the file is not repeated.
func readHolder(fd int) string {
	text := make([]byte, 512)
	n, _ := syscall.Pread(fd, text, 0)
	pid, at, _ := strings.Cut(strings.TrimSpace(string(text[:max(n, 0)])), " ")
	if _, err := strconv.Atoi(pid); err != nil {
		return "another process"
	}
	since, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return "process " + pid
	}
	return describeHolder(pid, since)
}
