package cluster

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// course is what happens to a campaign, one thing after another, and how long each takes.
type course struct {
	*lab
	from  int           // of the service's requests
	down  time.Duration // how long what is killed stays away
	lost  int           // calls that can have been bought for nothing: under way at a kill or a cut
	lines []string      // the report
}

func (c *course) note(what, format string, args ...any) {
	line := fmt.Sprintf("%-38s %s", what, fmt.Sprintf(format, args...))
	c.lines = append(c.lines, line)
	c.t.Log(line)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// inFullSwing waits until calls are made.
func (c *course) inFullSwing() {
	c.t.Helper()
	n := c.service.count()
	until(c.t, "calls before the next thing happens", 3*time.Minute, func() bool { return c.service.count() >= n+15 })
}

// serverFails kills a server, starts it again after a while, and waits for the next answer
// and the next finished collaboration.
func (c *course) serverFails(what string, p *process) {
	c.t.Helper()
	c.inFullSwing()
	p.kill()
	killed, n := time.Now(), c.service.count()
	time.Sleep(c.down)
	during := c.service.count() - n
	began, n, finished := time.Now(), c.service.count(), c.finished()
	p.start()
	answer := until(c.t, "an answer after "+what+" is back", 5*time.Minute, func() bool { return c.service.answeredAfter(n, began) })
	cell := answer + until(c.t, "a collaboration that ends after "+what+" is back", 5*time.Minute, func() bool { return c.finished() > finished })
	if what != "the S3 server" { // which missed heartbeats: what was under way then may be given to others
		for _, a := range c.service.since(c.from) {
			if !a.refused && a.at.Before(began.Add(time.Second)) && (a.answered.IsZero() || a.answered.After(began)) {
				c.lost++
			}
		}
	}
	c.note(what+" is killed", "away for %s, %d calls meanwhile; back: next answer after %s, next collaboration finished after %s",
		seconds(began.Sub(killed)), during, seconds(answer), seconds(cell))
}

// unstored are the keys of what a worker has asked and nobody has stored.
func (c *course) unstored(who string) (keys []string) {
	time.Sleep(time.Second) // what was sent just before a kill reaches the service; others ask it after five at least
	stored := c.stored()
	for _, a := range c.service.since(c.from) {
		if _, ok := stored[a.key]; !ok && a.by == who && !a.refused {
			keys = append(keys, a.key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// underWay waits until a worker has calls under way.
func (c *course) underWay(who string) {
	c.t.Helper()
	c.inFullSwing()
	until(c.t, "calls of "+who, 2*time.Minute, func() bool {
		return slices.ContainsFunc(c.service.since(c.from), func(a ask) bool {
			return a.by == who && !a.refused && a.answered.IsZero() && time.Since(a.at) < c.service.latency/2
		})
	})
}

// othersTake waits until others have what a worker had under way.
func (c *course) othersTake(who string, keys []string, since time.Time) time.Duration {
	c.t.Helper()
	until(c.t, "others that take over from "+who, 5*time.Minute, func() bool {
		stored := c.stored()
		asks := c.service.since(c.from)
		return !slices.ContainsFunc(keys, func(key string) bool {
			_, ok := stored[key]
			return !ok && !slices.ContainsFunc(asks, func(a ask) bool { return a.key == key && a.by != who && a.at.After(since) })
		})
	})
	return time.Since(since)
}

// workerFails kills a worker with calls under way, and starts it again.
func (c *course) workerFails(who string) {
	c.t.Helper()
	c.underWay(who)
	c.workers[who].kill()
	killed := time.Now()
	keys := c.unstored(who)
	c.lost += len(keys)
	took := c.othersTake(who, keys, killed)
	c.workers[who].start()
	began := time.Now()
	again := c.worksAfter(who, began)
	c.note("a worker is killed", "its %d calls under way are made by others within %s; started again, it makes its first call after %s", len(keys), seconds(took), seconds(again))
}

// worksAfter waits for the first call of a worker after a time.
func (c *course) worksAfter(who string, began time.Time) time.Duration {
	c.t.Helper()
	n := c.service.count()
	until(c.t, "a call of "+who, 3*time.Minute, func() bool {
		return slices.ContainsFunc(c.service.since(n), func(a ask) bool { return a.by == who && a.at.After(began) })
	})
	return time.Since(began)
}

func (c *course) tookWork(what, who string) {
	c.t.Helper()
	c.note(what, "it makes its first call after %s", seconds(c.worksAfter(who, time.Now())))
}

// isCutOff cuts a worker's ways to the servers, but not to the paid service.
func (c *course) isCutOff(who string, ways ...*proxy) {
	c.t.Helper()
	c.underWay(who)
	for _, w := range ways {
		w.cut()
	}
	cut, n := time.Now(), c.service.count()
	keys := c.unstored(who)
	took := c.othersTake(who, keys, cut)
	time.Sleep(max(0, 4*c.down-time.Since(cut)))
	alone := 0
	for _, a := range c.service.since(n) {
		if a.by == who {
			alone++
		}
	}
	c.lost += len(keys) + alone
	began := time.Now()
	for _, w := range ways {
		w.heal()
	}
	again := c.worksAfter(who, began)
	c.note("a worker is cut off", "its %d calls under way are made by others within %s; it makes %d calls alone in %s; healed, it makes its first call after %s",
		len(keys), seconds(took), alone, seconds(began.Sub(cut)), seconds(again))
	if alone > 3 { // announced before the cut, and not asked yet
		c.t.Errorf("cut off, %s makes %d calls, more than it may have announced", who, alone)
	}
}

// drains ends a worker with SIGTERM: what it has under way comes in.
func (c *course) drains(who string) {
	c.t.Helper()
	c.underWay(who)
	began := time.Now()
	c.workers[who].terminate()
	if code := c.workers[who].code(3 * time.Minute); code != 0 {
		c.t.Errorf("drained, %s ends with code %d\n%s", who, code, c.workers[who].said())
	}
	took := time.Since(began)
	if left := c.unstored(who); len(left) > 0 {
		c.t.Errorf("drained, %s leaves %d calls without a stored answer: %v", who, len(left), left)
	}
	c.note("a worker is drained", "it ends after %s with code 0, and nothing is lost", seconds(took))
}

// driverFails kills the process of `run`, which works too, and starts it again.
func (c *course) driverFails(driver *process) {
	c.t.Helper()
	c.underWay("run")
	driver.kill()
	killed := time.Now()
	keys := c.unstored("run")
	c.lost += len(keys)
	took := c.othersTake("run", keys, killed)
	driver.start()
	c.note("`run` is killed", "its %d calls under way are made by others within %s; started again, it goes on", len(keys), seconds(took))
}

// pausesAtItsCap waits until the budget is used up.
func (c *course) pausesAtItsCap(driver *process, cap float64) {
	c.t.Helper()
	if code := driver.code(20 * time.Minute); code != 3 {
		c.t.Fatalf("at its cap `run` ends with code %d, want 3\n%s", code, driver.said())
	}
	billed := c.billed()
	if billed > cap {
		c.t.Errorf("the cap is $%.4f; the service billed $%.6f", cap, billed)
	}
	c.note("the budget is used up", "the campaign pauses at $%.4f of $%.4f; `run` ends with code 3", billed, cap)
}

// billed is what the service has billed, in US dollars.
func (c *course) billed() (usd float64) {
	for _, a := range c.service.since(c.from) {
		usd += float64(a.nanoUSD) / 1e9
	}
	return usd
}

// compare holds the campaign against an undisturbed one, and its books against the service's.
func (c *course) compare(digest string, cap float64) {
	t := c.t
	t.Helper()
	if got := verified(t, c.program("reader", "verify", c.name, "--json")); got != digest {
		t.Errorf("its digest is %s, undisturbed %s", got, digest)
	}
	asks, stored := c.service.since(c.from), c.stored()
	times := map[string]int{}
	bought, again := 0, 0
	for _, a := range asks {
		if at, ok := stored[a.key]; ok && a.at.Sub(at) > time.Second {
			t.Errorf("%s was stored, and asked again %v later by %s", a.key, a.at.Sub(at), a.by)
		}
		if !a.refused {
			bought++
			if times[a.key]++; times[a.key] > 1 {
				again++
			}
		}
	}
	if again > c.lost {
		t.Errorf("%d calls were made again, %d were under way at kills", again, c.lost)
	}
	b, billed := c.books(), c.billed()
	const cent = 1e-6 // of what is rounded
	if billed < b.USD-cent || billed > b.Worst+cent || billed > cap || math.Abs(b.Answered-float64(len(times))) > 0 {
		t.Errorf("the service billed $%.6f for %d calls of %d questions, the cap is $%.4f, the ledger has %+v", billed, bought, len(times), cap, b)
	}
	dispatched := most(slices.DeleteFunc(slices.Clone(asks), func(a ask) bool { return !strings.HasSuffix(a.key, "/0") }), time.Minute)
	most := most(asks, time.Minute)
	// A second's calls more at each start of the server, and those that a busy machine held up.
	if most > perMinute()*11/10 {
		t.Errorf("%d requests in one minute, allowed are %d", most, perMinute())
	}
	t.Logf("%d requests, %d calls billed at $%.4f (ledger: %+v), %d made again of %d under way at kills; by%s", len(asks), bought, billed, b, again, c.lost, shares(asks))
	t.Logf("at most %d requests in a minute of %d allowed, %d without those that ask again for a usable answer", most, perMinute(), dispatched)
}
