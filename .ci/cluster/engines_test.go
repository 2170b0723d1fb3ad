package cluster

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestEnginesSideBySide: two engine versions work on one server and one lake at once, each
// on its own campaigns; neither gets a task of the other's, and a campaign that the one
// runs is refused to the other in words.
func TestEnginesSideBySide(t *testing.T) {
	t.Parallel()
	if *another == "" {
		t.Fatal("-another names no program with another engine version; bash .ci/run cluster builds one")
	}
	l := &lab{t: t, dir: t.TempDir(), name: "old", service: newService(t), workers: map[string]*process{}}
	l.temporal = newTemporal(t, temporalConfig{})
	l.s3 = newBucketServer(t)
	until(t, "the namespace", time.Minute, func() bool { return l.program("prepare", "prepare").Run() == nil })
	programs := map[string]string{"old": *roundtable, "new": *another}
	drivers := map[string]*process{}
	for _, name := range []string{"old", "new"} {
		write(t, filepath.Join(l.dir, name+".yaml"), campaign(name, 16, "collaborations: 8, calls: 6, models: {openai/fake: {requests_per_minute: 1200}}"))
		l.workBy(name+"-worker", programs[name], l.environment(name+"-worker", l.temporal.address, l.s3.address))
		env := l.environment(name+"-run", l.temporal.address, l.s3.address)
		drivers[name] = newProcess(t, l.dir, name+"-run", func() *exec.Cmd { return l.command(programs[name], env, "run", name+".yaml", "--no-check") })
	}
	until(t, "calls of both", time.Minute, func() bool {
		text := shares(l.service.since(0))
		return strings.Contains(text, "old-") && strings.Contains(text, "new-")
	})
	refused := l.command(*another, l.environment("new-run", l.temporal.address, l.s3.address), "run", "old.yaml", "--no-check")
	if said := run(t, 2, refused); !strings.Contains(said, "by engine ") || !strings.Contains(said, "this program has engine ") {
		t.Errorf("the other engine says\n%s", said)
	}
	for name, driver := range drivers {
		if code := driver.code(5 * time.Minute); code != 0 {
			t.Errorf("`run` of the %s engine ends with code %d\n%s", name, code, driver.said())
		}
		verified(t, l.command(programs[name], l.environment("reader", l.temporal.address, l.s3.address), "verify", name, "--json"))
	}
	for _, a := range l.service.since(0) {
		if engine, _, _ := strings.Cut(a.by, "-"); !strings.HasPrefix(a.key, engine+"/") {
			t.Errorf("%s was asked by %s", a.key, a.by)
		}
	}
	t.Logf("requests by%s", shares(l.service.since(0)))
}
