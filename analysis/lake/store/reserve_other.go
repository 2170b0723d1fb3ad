//go:build !linux

package store

import "os"

// allocate makes a file so large, on the disk.
func allocate(f *os.File, bytes int64) error { return fill(f, bytes) }
