package cluster

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// TestPage runs the commands of the page on clusters, one after another in one shell, as
// they stand.
func TestPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(*page)
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for _, m := range shellBlock.FindAllStringSubmatch(string(text), -1) {
		commands = append(commands, strings.TrimSpace(m[1]))
	}
	ten, _, _ := strings.Cut(string(text), "\nThen, from any")
	if n := len(shellBlock.FindAllString(ten, -1)); n != 10 {
		t.Errorf("the page has %d commands for a cluster, and promises ten", n)
	}
	if os.Getuid() != 0 {
		t.Skip("the page's commands need root")
	}
	for _, port := range []int{5433, 7070, 7233} {
		if listens(local(port)) {
			t.Fatalf("port %d, which the page uses, is in use here", port)
		}
	}
	dropDatabase(t, os.Getenv("CI") != "")
	t.Cleanup(func() { dropDatabase(t, true) })
	dir := t.TempDir()
	clone, err := filepath.Abs("../..")
	if err == nil {
		err = os.Symlink(clone, filepath.Join(dir, "roundtable"))
	}
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	shell := newProcess(t, t.TempDir(), "shell", func() *exec.Cmd {
		cmd := exec.Command("bash", "-ec", strings.Join(commands, "\n"))
		cmd.Dir = dir
		return cmd
	})
	code := shell.code(15 * time.Minute)
	if said := shell.said(); code != 0 || !strings.Contains(said, "Nothing is wrong.") {
		t.Fatalf("the page's commands end with code %d\n%s", code, said)
	}
	worker, err := os.ReadFile(filepath.Join(dir, "worker.log"))
	if err != nil || !strings.Contains(string(worker), "Ctrl-C lets answers under way come in") {
		t.Errorf("the worker says %q: %v", worker, err)
	}
	t.Logf("%d commands in %v", len(commands), time.Since(began).Round(time.Second))
}

// dropDatabase removes the PostgreSQL server that the page makes.
func dropDatabase(t *testing.T, may bool) {
	t.Helper()
	list, err := exec.Command("pg_lsclusters", "--no-header").Output()
	if err != nil {
		return // PostgreSQL is not installed yet
	}
	for line := range strings.Lines(string(list)) {
		f := strings.Fields(line)
		if len(f) < 2 || f[1] != "roundtable" {
			continue
		}
		if !may {
			t.Fatalf("there is a PostgreSQL server of the page already; `pg_dropcluster --stop %s roundtable` removes it", f[0])
		}
		if out, err := exec.Command("pg_dropcluster", "--stop", f[0], "roundtable").CombinedOutput(); err != nil {
			t.Errorf("pg_dropcluster: %v\n%s", err, out)
		}
	}
}
