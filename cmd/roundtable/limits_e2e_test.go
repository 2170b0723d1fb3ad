package main

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
	"roundtable/infra/embedded"
)

// busy is a campaign that never ends within a test and has 36 turns to take at once.
const busy = `name: busy
replicates: 500
env: exchange
protocol: {name: roundtable, rounds: 3}
model: {name: openai/fake}
` + vendorPrices + `generate: {max_tokens: 60}
rule: majority
`

// mostOf is the most calls at once that a vendor has while it gets n more.
func (v *vendor) mostOf(t *testing.T, n int) int {
	t.Helper()
	v.mu.Lock()
	v.most = v.under
	v.mu.Unlock()
	from := len(v.arrivals())
	screentest.Until(t, "more calls", func() bool { return len(v.arrivals()) >= from+n })
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.most
}

// runs starts the campaign and waits for its first call.
func (v *vendor) runs(t *testing.T, dir string) {
	t.Helper()
	starts(t, dir, v.at(), "run", "campaign.yaml")
	screentest.Until(t, "a call", func() bool { return len(v.arrivals()) > 0 })
}

// binds waits until `status` says that most turns wait for something.
func binds(t *testing.T, dir, want string) {
	t.Helper()
	said := ""
	for deadline := time.Now().Add(time.Minute); !strings.Contains(said, "wait for "+want); time.Sleep(500 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("turns wait for %s, and status says\n%s", want, said)
		}
		said = ends(t, 0, dir, nil, "status", "busy").out
	}
}

// TestTune: calls at once follow `tune` while the campaign runs, and `status`
// says what keeps it from going faster.
func TestTune(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	v := newVendor(t)
	v.latency = time.Second // turns that wait for less say nothing
	dir := write(t, busy+"limits: {collaborations: 12, calls: 10}\n")
	v.runs(t, dir)
	if most := v.mostOf(t, 30); most != 10 {
		t.Errorf("%d calls at once, allowed are 10", most)
	}
	binds(t, dir, "calls at once (10)")

	ends(t, 0, dir, nil, "tune", "busy", "--calls", "3")
	binds(t, dir, "calls at once (3)")
	if most := v.mostOf(t, 9); most != 3 {
		t.Errorf("tuned down: %d calls at once, allowed are 3", most)
	}
	ends(t, 0, dir, nil, "tune", "busy", "--calls", "12")
	binds(t, dir, "calls at once (12)")
	if most := v.mostOf(t, 36); most != 12 {
		t.Errorf("tuned up: %d calls at once, allowed are 12", most)
	}
}

// TestBinding: a budget that calls under way hold, and a service that holds
// everybody off, are what `status` then names.
func TestBinding(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	v, hold := newVendor(t), make(chan struct{})
	held := sells("held", "stop", func(a *asked) string {
		<-hold
		return reply(a.prompt(), a.again())
	})
	v.after(1, held) // the first may be the check
	t.Cleanup(func() { close(hold) })
	// The budget is enough for two or three calls at worst, and the 15 turns are no more than the account takes at first.
	dir := write(t, busy+"limits: {collaborations: 5, calls: 30, cost_usd: 0.0022}\n")
	v.runs(t, dir)
	binds(t, dir, "budget")

	v = newVendor(t)
	dir = write(t, busy+"limits: {collaborations: 12, calls: 30}\n")
	limited := says("429", false, 429, openaiError("requests", "rate_limit_exceeded"), "Retry-After", "60")
	v.after(30, limited)
	v.runs(t, dir)
	binds(t, dir, "provider")
}

// TestWorkers: two processes on one Temporal server share a limit of requests a
// minute and a budget.
func TestWorkers(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	const perSecond = 20
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), Open: true, Notices: io.Discard})
	noError(t, err)
	t.Cleanup(func() { server.Stop() })
	v := costly(t)
	dir := write(t, busy+"limits: {collaborations: 24, cost_usd: 0.08, models: {openai/fake: {requests_per_minute: 1200}}}\n")
	at := append(v.at(), "TEMPORAL_ADDRESS="+server.Target().HostPort)
	run := starts(t, dir, append(slices.Clone(at), "OPENAI_API_KEY=run"), "run", "campaign.yaml")
	screentest.Until(t, "a call", func() bool { return len(v.arrivals()) > 0 })
	starts(t, dir, append(slices.Clone(at), "OPENAI_API_KEY=worker"), "worker", "--state", "other")
	if code := run.code(t); code != cli.ExitIncomplete {
		t.Errorf("at its cap the run ends with code %d, want %d\n%s", code, cli.ExitIncomplete, &run.said)
	}
	within(t, v, 80_000_000)
	if st := statusBy(t, dir, "busy", at...); st.State != "paused" || !strings.Contains(st.PauseReason, "--cost-usd") {
		t.Errorf("status says %s: %s", st.State, st.PauseReason)
	}
	asks := v.arrivals()
	by := map[string]int{}
	for i, a := range asks {
		by[a.auth]++
		// Each process alone would let perSecond through.
		if j := i + 4*perSecond*3/2; j < len(asks) && asks[j].at.Sub(a.at) < 4*time.Second {
			t.Fatalf("%d calls within %v, allowed are %d a second", j-i, asks[j].at.Sub(a.at), perSecond)
		}
	}
	t.Logf("%d calls in %v, by %v", len(asks), asks[len(asks)-1].at.Sub(asks[0].at), by)
	if len(by) != 2 {
		t.Errorf("both processes should have asked: %v", by)
	}
}

// TestReasksAreRationed: a question that is asked again after an answer that could not be
// used counts against a limit of requests a minute as any other, over all processes.
func TestReasksAreRationed(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	const perSecond, seconds = 10, 4
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir(), Open: true, Notices: io.Discard})
	noError(t, err)
	t.Cleanup(func() { server.Stop() })
	v := newVendor(t)
	v.set(func(a *asked) *trick {
		if a.again() {
			return nil
		}
		return &trick{name: "malformed", play: func(v *vendor, a *asked, w http.ResponseWriter, _ *http.Request) {
			body, b := v.answer(a, "no JSON", "stop")
			v.book(&v.sold, b)
			w.Write(body)
		}}
	})
	dir := write(t, busy+"limits: {collaborations: 6, models: {openai/fake: {requests_per_minute: 600}}}\n")
	at := append(v.at(), "TEMPORAL_ADDRESS="+server.Target().HostPort)
	for _, who := range []string{"one", "two", "three"} {
		starts(t, dir, at, "run", "campaign.yaml", "--state", who) // they take part in one campaign
		if who == "one" {
			screentest.Until(t, "a call", func() bool { return len(v.arrivals()) > 0 })
		}
	}
	screentest.Until(t, "three processes", func() bool { return len(v.arrivals()) > 4*perSecond })
	from := len(v.arrivals())
	time.Sleep(seconds * time.Second)
	asks, again := v.arrivals()[from:], 0
	for _, a := range asks {
		if a.again() {
			again++
		}
	}
	// One second's worth may go out at once.
	if n, most := len(asks), (seconds+1)*perSecond; n > most || again < n/5 {
		t.Errorf("%d calls in %d s, %d of them again; allowed are %d a second", n, seconds, again, perSecond)
	}
	t.Logf("%d calls in %d s, %d of them again", len(asks), seconds, again)
}
