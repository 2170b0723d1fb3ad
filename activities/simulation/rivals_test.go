package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
)

// Rivals are two programs with servers of their own, as of two people with one bucket. Each takes
// the campaign's lease before it works, and tries again when it is refused or has lost it. The first
// one stands still for a while, as a laptop that sleeps; the clock of the second one is wrong.
type Rivals struct {
	Asleep, Awake time.Duration // from the beginning
	Ahead         time.Duration // behind if it is below 0
}

// drawRivals returns the scenario of a seed in which two programs are at one lake.
func drawRivals(seed uint64) Scenario {
	s := Draw(seed)
	s.Batched, s.Nameless, s.Cancelled, s.Alone, s.Processes = false, false, 0, false, 1
	s.Faults.Doubled, s.Faults.Unlisted = 0, 0
	s.Rivals = Rivals{Asleep: s.between(2*time.Second, 30*time.Second, "asleep"), Ahead: s.between(-50*time.Minute, 50*time.Minute, "ahead")}
	s.Rivals.Awake = s.Rivals.Asleep + s.between(20*time.Second, 6*time.Minute, "awake")
	return s
}

// Of two programs at one lake one works at a time, also where it takes over from one that sleeps,
// and whatever their clocks say; the invariants are the same.
func testRivals(t *testing.T, runner *Runner) {
	taken, n := 0, max(3, *seeds/5)
	for seed := *from; seed < *from+uint64(n); seed++ {
		s := drawRivals(seed)
		var log strings.Builder
		o := runLogged(t, runner, s, &log)
		taken += strings.Count(log.String(), "takes over")
		if len(o.Broken) > 0 {
			t.Fatalf("two programs, seed %d: %q\n%s\n%s", seed, o.Broken, asJSON(t, s), log.String())
		}
	}
	if taken == 0 {
		t.Error("no campaign was taken over")
	}
	t.Logf("two programs, %d times: taken over %d times", n, taken)
}

// lease is who holds the campaign's, as it is stored.
type lease struct {
	holder         string
	since, renewed time.Time
}

// compete runs the campaign by two programs, until one has sealed it.
func (w *world) compete(ctx context.Context, cap float64) error {
	ended := make(chan error, 2)
	running, end := context.WithCancel(ctx)
	defer end()
	for number := range 2 {
		w.background.Go(func() {
			time.Sleep(w.between(0, time.Duration(1+20*number)*time.Second, "rival", number, "comes"))
			ended <- w.runAgain(running, number, cap)
		})
	}
	return <-ended
}

// runAgain is `run`, given again until the campaign has ended.
func (w *world) runAgain(ctx context.Context, number int, cap float64) error {
	for tries := 0; ctx.Err() == nil; tries++ {
		p := w.start(number)
		err := w.runOnce(ctx, p, cap)
		w.note("%s ends: %v", p.name, err)
		if err == nil {
			return nil
		}
		time.Sleep(w.between(time.Second, 40*time.Second, p.name, tries, "run again"))
	}
	return ctx.Err()
}

func (w *world) runOnce(ctx context.Context, p *process, cap float64) error {
	defer p.end()
	stop := context.AfterFunc(ctx, p.end)
	defer stop()
	waited := false
	held, l, err := store.TakeLease(p.ctx, view{p}, lake.LockKey(campaign), store.Holder{Name: p.name}, func(store.Holder) { waited = true })
	if err != nil {
		return err
	}
	if waited {
		w.note("%s takes over", p.name)
	}
	stopLost := context.AfterFunc(held, p.end) // what the program does, too: its work ends
	defer stopLost()
	if cap > 0 { // as it was raised
		w.mu.Lock()
		cap = float64(w.service.allowed.NanoUSD) / 1e9
		w.mu.Unlock()
	}
	e := &engine{world: w, live: []*process{p}, cap: cap, holding: make(chan struct{}, 1), cancelled: make(chan struct{})}
	err = e.run(held)
	if err == nil {
		err = p.activities.Close(p.ctx)
	}
	return errors.Join(err, l.Close())
}

// sleep keeps a process waiting that stands still.
func (p *process) sleep() {
	if at := time.Since(p.began); p.number == 0 && at >= p.Rivals.Asleep && at < p.Rivals.Awake {
		p.note("%s sleeps", p.name)
		time.Sleep(p.Rivals.Awake - at)
	}
}

// noteLease notes when the lease is renewed or gets another holder, and breaks R2 if that one has
// not waited for as long as it says to the people who wait (docs/guides/s3.md).
func (w *world) noteLease(key string, data []byte) {
	var there store.Holder
	if key != lake.LockKey(campaign) || json.Unmarshal(data, &there) != nil {
		return
	}
	w.mu.Lock()
	was, now := w.lease, time.Now()
	w.lease = lease{there.Name, was.since, now}
	if there.Name != was.holder {
		w.lease.since = now
	}
	w.mu.Unlock()
	if waited := now.Sub(was.renewed); there.Name != was.holder && was.holder != "" && there.Name != "" && waited < 30*time.Second {
		w.violate("R2", "%s takes the lease %s after %s has renewed it", there.Name, waited, was.holder)
	}
}

// renewedWithin is how soon one who has lost the lease hears of it, and ends.
func (f Faults) renewedWithin() time.Duration {
	if f.Slow == 0 && f.Lost == 0 && f.Unheard == 0 && f.Unheld == 0 && f.Full == 0 && f.ReadOnly == 0 {
		return 6 * time.Second
	}
	return f.Unheld + f.Full + f.ReadOnly + 3*time.Minute
}

// checkLease breaks R1 if a process asks the service although another one has the lease, for longer
// than it takes to hear of that.
func (p *process) checkLease() {
	if p.Rivals.Awake == 0 {
		return
	}
	p.mu.Lock()
	holder, since := p.lease.holder, time.Since(p.lease.since)
	p.mu.Unlock()
	if awake := time.Since(p.began) - p.Rivals.Awake; p.number == 0 && awake >= 0 {
		since = min(since, awake)
	}
	if most := p.Faults.renewedWithin(); holder != p.name && since > most {
		p.violate("R1", "%s asks the service, and %s has had the lease for %s", p.name, holder, since)
	}
}

// shift returns an object of the budget's log with its times moved: what a process writes or reads
// whose clock is wrong by as much.
func shift(key string, data []byte, by time.Duration) []byte {
	var body map[string]any
	if by == 0 || !strings.HasPrefix(key, money.LogFolder(campaign)) || lake.Unseal(key, data, &body) != nil {
		return data
	}
	for _, name := range []string{"expires_at", "counted_at"} {
		if at, ok := body[name].(float64); ok { // microseconds are below 2^53
			body[name] = int64(at) + by.Microseconds()
		}
	}
	sealed, err := lake.Seal(key, body)
	if err != nil {
		panic(fmt.Sprint(key, err))
	}
	return sealed
}

// ahead is how far the clock of a process is ahead.
func (p *process) ahead() time.Duration {
	if p.number == 1 {
		return p.Rivals.Ahead
	}
	return 0
}
