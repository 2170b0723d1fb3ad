package store

import (
	"errors"
	"os"
	"syscall"
)

// allocate makes a file so large, on the disk.
func allocate(f *os.File, bytes int64) error {
	err := syscall.Fallocate(int(f.Fd()), 0, 0, bytes)
	if errors.Is(err, syscall.EOPNOTSUPP) {
		return fill(f, bytes)
	}
	return err
}
