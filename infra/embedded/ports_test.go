package embedded

import "testing"

// Servers that start at the same moment are given different ports, also before they listen.
func TestPortsAreKept(t *testing.T) {
	taken := map[port]bool{}
	for range 300 {
		ports, kept, err := choosePorts()
		if err != nil {
			t.Fatal(err)
		}
		defer kept.Close()
		for name, p := range ports {
			if taken[p] {
				t.Fatalf("%s is given port %d, which another server has", name, p)
			}
			taken[p] = true
		}
	}
}
