package embedded

import (
	"fmt"
	"syscall"
)

// MinFreeBytes is the room below which a server does not start: on a full disk
// Temporal hangs without a word.
const MinFreeBytes = 200 << 20

// FreeBytes returns what this user can still write to the disk that dir is on.
func FreeBytes(dir string) (uint64, error) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, fmt.Errorf("infra: free space of %s: %w", dir, err)
	}
	return uint64(stat.Bavail) * uint64(stat.Bsize), nil //nolint:unconvert // of other types on other systems
}

func checkFree(dir string, free uint64) error {
	if free < MinFreeBytes {
		return fmt.Errorf("infra: the disk of %s has %d MB left; at least %d MB are needed", dir, free>>20,
			uint64(MinFreeBytes)>>20)
	}
	return nil
}
