package embedded_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
)

func TestListensOnLoopbackOnly(t *testing.T) {
	start(t, t.TempDir())
	all := listening(t)
	for _, address := range all {
		if host, _, _ := strings.Cut(address, ":"); host != "127.0.0.1" {
			t.Errorf("listens on %s", address)
		}
	}
	if len(all) != 3 {
		t.Errorf("%d listening sockets, want 3: frontend, history, matching", len(all))
	}
}

// listening returns the addresses at which this process listens, from /proc.
func listening(t *testing.T) (addresses []string) {
	t.Helper()
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
	const listens, local = "0A", "0100007F" // the kernel's words for LISTEN and 127.0.0.1
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		text, err := os.ReadFile(table)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) < 10 || f[3] != listens || !mine[f[9]] {
				continue
			}
			host, hex, _ := strings.Cut(f[1], ":")
			port, err := strconv.ParseUint(hex, 16, 16)
			if err != nil {
				t.Fatal(err)
			}
			if host == local {
				host = "127.0.0.1"
			}
			addresses = append(addresses, fmt.Sprintf("%s:%d", host, port))
		}
	}
	return addresses
}
