package cluster

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// perMinute returns the limit of requests of the campaign, over all processes.
func perMinute() int {
	if *long {
		return 600
	}
	return 480
}

// campaign is a paid one under a cap and a limit of requests a minute.
func campaign(name string, cells int, limits string) string {
	return fmt.Sprintf("name: %s\nreplicates: %d\nenv: exchange\nprotocol: {name: roundtable, rounds: 2}\nmodel: {name: openai/fake}\n%s"+
		"generate: {max_tokens: 200}\ngrid:\n  rule: [majority, plurality]\nlimits: {%s}\n", name, cells/2, prices, limits)
}

// undisturbed runs the campaign with the embedded server and a lake in a folder, and
// returns its digest and what it costs.
func (l *lab) undisturbed() (digest string, usd float64) {
	l.t.Helper()
	dir := l.t.TempDir()
	write(l.t, filepath.Join(dir, "campaign.yaml"), campaign(l.name, *cells, "collaborations: 40, calls: 100"))
	env := append(os.Environ(), "OPENAI_API_KEY=alone", "OPENAI_BASE_URL="+l.service.URL+"/v1")
	latency := l.service.latency
	l.service.latency = 10 * time.Millisecond
	defer func() { l.service.latency = latency }()
	for _, args := range [][]string{{"run", "campaign.yaml", "--no-check"}, {"verify", l.name, "--json"}} {
		cmd := l.command(*roundtable, env, args...)
		cmd.Dir = dir
		if args[0] == "run" {
			run(l.t, 0, cmd)
			continue
		}
		digest = verified(l.t, cmd)
	}
	for _, a := range l.service.since(0) {
		usd += float64(a.nanoUSD) / 1e9
	}
	return digest, usd
}

// write writes the campaign's file with a cap.
func (c *course) write(usd float64) {
	limits := fmt.Sprintf("collaborations: 20, calls: 12, cost_usd: %.4f, models: {openai/fake: {requests_per_minute: %d}}", usd, perMinute())
	write(c.t, filepath.Join(c.dir, "campaign.yaml"), campaign(c.name, *cells, limits))
}

// TestCluster runs a paid campaign on four workers while everything is killed in turn, one
// worker is cut off, one is added and one is drained. In the end it is the campaign that an
// undisturbed run makes; nothing stored was bought again, and the cap and the limit of
// requests a minute were held by all together.
func TestCluster(t *testing.T) {
	t.Parallel()
	if *long {
		*cells = max(*cells, 200)
	}
	l := newLab(t, "lab")
	digest, usd := l.undisturbed()
	from := l.service.count()
	c := &course{lab: l, from: from, down: cmp.Or(*outage, map[bool]time.Duration{false: 5 * time.Second, true: 30 * time.Second}[*long])}
	t.Logf("undisturbed: %d requests, $%.4f, digest %.12s", from, usd, digest)

	toTemporal, toS3 := newProxy(t, l.temporal.address), newProxy(t, l.s3.address)
	for _, who := range []string{"worker-1", "worker-2", "worker-3"} {
		l.work(who)
	}
	l.workBy("worker-4", *roundtable, l.environment("worker-4", toTemporal.address(), toS3.address()))
	c.write(usd * 0.2)
	driver := l.start("run", "run", "campaign.yaml", "--no-check")
	c.pausesAtItsCap(driver, usd*0.2)
	run(t, 0, l.program("reader", "resume", l.name, "--cost-usd", fmt.Sprint(usd*2)))
	c.write(usd * 2) // `run` sets the limits of the file
	driver.start()

	for range map[bool]int{false: 1, true: 2}[*long] {
		c.serverFails("Temporal's server", l.temporal.process)
		c.serverFails("PostgreSQL", l.database.process)
		c.serverFails("the S3 server", l.s3.process)
		c.workerFails("worker-1")
	}
	c.isCutOff("worker-4", toTemporal, toS3)
	l.work("worker-5")
	c.tookWork("a worker is added", "worker-5")
	c.drains("worker-2")
	c.driverFails(driver)
	if code := driver.code(20 * time.Minute); code != 0 {
		t.Fatalf("`run` ends with code %d\n%s", code, driver.said())
	}
	c.compare(digest, usd*2)
	t.Logf("Times to recover:\n%s", strings.Join(c.lines, "\n"))
}
