package embedded

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// restrictFile sets the mode of a file or folder. A file system without modes, such as
// exFAT, refuses that for this user's own files, which then are as open as the mount says.
func restrictFile(path string, mode fs.FileMode) error {
	err := os.Chmod(path, mode)
	if err == nil || !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.ENOTSUP) &&
		!errors.Is(err, syscall.ENOSYS) {
		return err
	}
	if info, statErr := os.Stat(path); statErr == nil {
		if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) == os.Geteuid() {
			return nil
		}
	}
	return err
}
