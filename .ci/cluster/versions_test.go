package cluster

import (
	"os"
	"regexp"
	"testing"
)

var moduleLine = regexp.MustCompile(`(?m)^(?:require)?\s*(\S+\.\S+/\S+) (v\S+)`)

// versionsOf are the modules that a go.mod names.
func versionsOf(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, m := range moduleLine.FindAllStringSubmatch(string(text), -1) {
		all[m[1]] = m[2]
	}
	return all
}

// TestServerIsOurs: the cluster's server is of the version that the program embeds, with
// the same modules, so that most of it is compiled once for both.
func TestServerIsOurs(t *testing.T) {
	ours, theirs := versionsOf(t, "../../go.mod"), versionsOf(t, "../temporal/go.mod")
	if server := "go.temporal.io/server"; ours[server] == "" || theirs[server] != ours[server] {
		t.Errorf("%s is %q in .ci/temporal and %q in the program", server, theirs[server], ours[server])
	}
	for module, version := range theirs {
		if own, ok := ours[module]; ok && own != version {
			t.Errorf("%s is %s in .ci/temporal and %s in the program; copy go.mod's requirements there, and go mod tidy", module, version, own)
		}
	}
}
