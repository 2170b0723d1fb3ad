package store

import "syscall"

// OpenFiles returns how many files this process may hold open, at most 65,536: the hard limit, to
// which Go raises the soft one.
func OpenFiles() int {
	const plenty = 1 << 16
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur > plenty {
		return plenty
	}
	return int(limit.Cur)
}

// Of the files that a process may hold open, a lake takes a quarter for directories (two
// each), and as much for requests at once (three or four each, with a parent's directory).
const (
	filesOfDirectory = 8
	filesOfRequest   = 16
	maxDirectories   = 512
	maxRequests      = 256
)

// share returns what a limit of open files allows, at most this many.
func share(files, each, most int) int { return max(min(files/each, most), 2) }
