package infra_test

import (
	"os"
	"strings"
	"testing"
)

// TestListensOnLoopbackOnly reads this process's listening sockets from /proc.
func TestListensOnLoopbackOnly(t *testing.T) {
	start(t, t.TempDir())
	mine := map[string]bool{}
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		if link, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && strings.HasPrefix(link, "socket:[") {
			mine[strings.Trim(link, "socket:[]")] = true
		}
	}
	const listening, local = "0A", "0100007F" // the kernel's words for LISTEN and 127.0.0.1
	found := 0
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) < 10 || f[3] != listening || !mine[f[9]] {
				continue
			}
			found++
			if address, _, _ := strings.Cut(f[1], ":"); address != local {
				t.Errorf("listens on %s (%s)", f[1], table)
			}
		}
	}
	if found != 3 {
		t.Errorf("%d listening sockets, want 3: frontend, history, matching", found)
	}
}
