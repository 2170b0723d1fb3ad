package cluster

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestShareOfADeadWorker: what killed workers had reserved of a budget is out of reach
// until it expires, and then used: the campaign stands still meanwhile, says why, and
// pauses at its cap and not before.
func TestShareOfADeadWorker(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("takes a quarter of an hour: runs with -long")
	}
	const usd = 0.15
	l := newLab(t, "share")
	for _, who := range []string{"worker-1", "worker-2", "worker-3"} {
		l.work(who)
	}
	limits := fmt.Sprintf("collaborations: 20, calls: 12, cost_usd: %g, models: {openai/fake: {requests_per_minute: 600}}", usd)
	write(t, filepath.Join(l.dir, "campaign.yaml"), campaign(l.name, 100, limits))
	env := l.environment("run", l.temporal.address, l.s3.address)
	driver := newProcess(t, l.dir, "run", func() *exec.Cmd { return l.command(*roundtable, env, "run", "campaign.yaml", "--no-check") })
	c := &course{lab: l}
	until(t, "a third of the budget", 5*time.Minute, func() bool { return c.billed() > usd/3 })
	for _, who := range []string{"worker-1", "worker-2"} {
		l.workers[who].kill()
	}
	killed := c.billed()
	until(t, "a standstill", 5*time.Minute, func() bool {
		asks := l.service.since(0)
		return time.Since(asks[len(asks)-1].at) > 40*time.Second || !driver.alive()
	})
	before := c.billed()
	status := run(t, 0, l.program("reader", "status", l.name))
	t.Logf("$%.4f when they are killed, $%.4f when nothing more fits:\n%s", killed, before, status)
	if driver.alive() && !strings.Contains(status, "budget") {
		t.Error("status does not say that turns wait for the budget")
	}
	if code := driver.code(15 * time.Minute); code != 3 {
		t.Fatalf("`run` ends with code %d\n%s", code, driver.said())
	}
	asks, longest := l.service.since(0), time.Duration(0)
	for n := 1; n < len(asks); n++ {
		longest = max(longest, asks[n].at.Sub(asks[n-1].at))
	}
	if billed := c.billed(); billed > usd || billed < usd*0.9 {
		t.Errorf("it pauses at $%.4f of $%.4f", billed, usd)
	}
	t.Logf("it pauses at $%.4f of $%.2f; the longest standstill was %s", c.billed(), usd, seconds(longest))
}
