package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const slowCampaign = `name: slow
replicates: %d
env: exchange
protocol: {name: roundtable, rounds: 4}
rule: majority
model: {name: scripted/trader, latency: 40ms}
limits: {collaborations: 4}
`

func writeSlow(t *testing.T, dir string, replicates int) {
	t.Helper()
	save(t, dir, "slow.yaml", fmt.Sprintf(slowCampaign, replicates))
}

// background is the program in another process.
type background struct {
	*exec.Cmd
	said  words
	ended chan struct{}
	at    time.Time    // when it ended
	peak  atomic.Int64 // kB of memory, on Linux
}

// words are what a program has written so far.
type words struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *words) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *words) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func runInBackground(t *testing.T, dir string, flags ...string) *background {
	t.Helper()
	return starts(t, dir, nil, append([]string{"run", "slow.yaml"}, flags...)...)
}

// code waits for the end.
func (b *background) code(t *testing.T) int {
	t.Helper()
	select {
	case <-b.ended:
		return b.ProcessState.ExitCode()
	case <-time.After(time.Minute):
		_ = b.Process.Signal(syscall.SIGQUIT) // to see what it waits for
		<-b.ended
		t.Fatalf("the program did not end within a minute\n%s", &b.said)
		return 0
	}
}

func statusNow(t *testing.T, dir string) (campaigns.Status, bool) {
	t.Helper()
	d := command(t, dir, nil, "status", "slow", "--json")
	var all []campaigns.Status
	if d.code != 0 || json.Unmarshal([]byte(d.out), &all) != nil || len(all) != 1 {
		return campaigns.Status{}, false
	}
	return all[0], true
}

func untilStatus(t *testing.T, dir, what string, holds func(campaigns.Status) bool) {
	t.Helper()
	screentest.Until(t, what, func() bool {
		s, ok := statusNow(t, dir)
		return ok && holds(s)
	})
}

// TestSteering pauses, resumes and cancels from another terminal.
func TestSteering(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	writeSlow(t, dir, 120)
	b := runInBackground(t, dir)
	untilStatus(t, dir, "a cell has ended", func(s campaigns.Status) bool { return s.State == "running" && s.Succeeded > 0 })
	output(t, dir, "pause", "slow")
	untilStatus(t, dir, "it is paused", func(s campaigns.Status) bool { return s.State == "paused" })
	if code := b.code(t); code != cli.ExitIncomplete {
		t.Errorf("a paused run ends with code %d, want %d\n%s", code, cli.ExitIncomplete, &b.said)
	}
	// run goes on with a paused campaign, and cancel ends it with every cell in the lake.
	b = runInBackground(t, dir)
	untilStatus(t, dir, "it runs again", func(s campaigns.Status) bool { return s.State == "running" && !s.Paused })
	output(t, dir, "cancel", "slow")
	if code := b.code(t); code != cli.ExitIncomplete {
		t.Errorf("a cancelled run ends with code %d, want %d\n%s", code, cli.ExitIncomplete, &b.said)
	}
	s, _ := statusNow(t, dir)
	if s.Done() != 120 || s.Stopped == 0 || s.State != "done" {
		t.Errorf("after cancel: %+v", s)
	}
	// What is to run once more is in the lake: a plain run goes on with it, the server's database lost or not.
	commits := func() int {
		all, err := filepath.Glob(filepath.Join(dir, "lake/raw/_commits/campaign=slow/*.json"))
		noError(t, err)
		return len(all)
	}
	before := commits()
	b = runInBackground(t, dir, "--retry-failed")
	screentest.Until(t, "a cell was run again", func() bool { return commits() > before }) // a status would take as long as many cells
	b.kill()
	noError(t, os.RemoveAll(filepath.Join(dir, ".roundtable")))
	if s, _ := statusNow(t, dir); s.Again == 0 || s.Again >= s.Cells || s.State != "interrupted" {
		t.Errorf("after a kill: %+v", s)
	}
	output(t, dir, "run", "slow.yaml")
	if s, _ := statusNow(t, dir); s.Succeeded != 120 || s.State != "done" {
		t.Errorf("after the retry: %+v", s)
	}
	for _, command := range []string{"pause", "cancel"} {
		if d := ends(t, 0, dir, nil, command, "slow"); d.out != "slow is done already: all 120 collaborations finished; there is nothing to "+command+"\n" || d.err != "" {
			t.Errorf("%s of a campaign that is done: %s%s", command, d.out, d.err)
		}
	}
	output(t, dir, "verify", "slow")
}

// TestSteeringWithAnotherKey: a signal that the campaign's worker could not read is
// not sent, and status says why nothing can be read.
func TestSteeringWithAnotherKey(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	const one, two = "ROUNDTABLE_CODEC_KEY=one:" + "11111111111111111111111111111111", "ROUNDTABLE_CODEC_KEY=two:" + "22222222222222222222222222222222"
	dir := t.TempDir()
	writeSlow(t, dir, 40)
	b := starts(t, dir, []string{one}, "run", "slow.yaml")
	screentest.Until(t, "it runs", func() bool {
		d := command(t, dir, []string{one}, "status", "slow")
		return strings.Contains(d.out, "slow: running")
	})
	for _, key := range []string{two, two + ",one:11111111111111111111111111111111"} {
		if d := ends(t, cli.ExitUsage, dir, []string{key}, "pause", "slow"); !strings.Contains(d.err, "nothing was sent") || !strings.Contains(d.err, "ROUNDTABLE_CODEC_KEY") {
			t.Errorf("a signal with another first key: %s", d.err)
		}
	}
	screentest.Until(t, "status says why nothing can be read", func() bool { // once there is something to read
		d := ends(t, 0, dir, []string{two}, "status", "slow")
		return strings.Contains(d.out, "slow: running") && strings.Contains(d.out, `encrypted with key "one"`)
	})
	ends(t, 0, dir, []string{one}, "pause", "slow")
	if code := b.code(t); code != cli.ExitIncomplete {
		t.Errorf("a paused run ends with code %d\n%s", code, &b.said)
	}
}

// TestInterrupt: Ctrl-C keeps what is under way, says how to go on, and the same command does.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	v := newVendor(t)
	release := v.holdAfter(20)
	dir := t.TempDir()
	replicates := func(n int) string {
		return strings.Replace(fmt.Sprintf(slowCampaign, n), "scripted/trader, latency: 40ms", "openai/fake", 1) + vendorPrices
	}
	save(t, dir, "slow.yaml", replicates(5))
	b := starts(t, dir, v.at(), "run", "slow.yaml")
	screentest.Until(t, "all wait for an answer", func() bool { return len(v.arrivals()) >= 24 })
	noError(t, b.Process.Signal(os.Interrupt))
	release()
	if code := b.code(t); code != cli.ExitInterrupted || !strings.Contains(b.said.String(), "resume with: roundtable run slow.yaml") {
		t.Errorf("code %d, said:\n%s", code, &b.said)
	}
	// What unfinished collaborations have taken counts, too; all that was sold does.
	sold, _ := v.books()
	if s, _ := statusNow(t, dir); s.UnderWay.Turns == 0 || s.UnderWay.Spent.Calls < int64(s.UnderWay.Turns) || s.Share <= 0 || s.Share >= 1 ||
		s.UnderWay.Spent.Calls+s.Spent.Calls != sold.calls {
		t.Errorf("%d answers were sold, status after Ctrl-C: %+v", sold.calls, s)
	}
	for _, name := range []string{".roundtable", "lake"} {
		modes(t, filepath.Join(dir, name))
	}
	ends(t, 0, dir, v.at(), "run", "slow.yaml")
	// More replicates extend it; fewer, or anything else, are refused by name.
	save(t, dir, "slow.yaml", replicates(7))
	ends(t, 0, dir, v.at(), "run", "slow.yaml")
	if s, _ := statusNow(t, dir); s.Succeeded != 7 || s.Cells != 7 {
		t.Errorf("extended: %+v", s)
	}
	save(t, dir, "slow.yaml", strings.Replace(replicates(6), "rounds: 4", "rounds: 5", 1))
	d := ends(t, cli.ExitUsage, dir, v.at(), "run", "slow.yaml")
	contains(t, d.err, "protocol was", "replicates was 7 and is 6")
}

// TestSignals: a signal ends the program with code 130 whatever it does, also while it
// starts, and also if it says that the terminal has closed.
func TestSignals(t *testing.T) {
	t.Parallel()
	hangups := make(chan os.Signal, 1) // who ignores them, as with nohup, has its children ignore them
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	for _, sent := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		for _, after := range []string{"starting", "running"} {
			if !*long && sent != os.Interrupt && (sent != syscall.SIGTERM || after == "starting") {
				continue
			}
			dir := t.TempDir()
			save(t, dir, "slow.yaml", fmt.Sprintf(slowCampaign, 40))
			b := starts(t, dir, nil, "run", "slow.yaml")
			screentest.Until(t, after, func() bool {
				_, err := os.Stat(filepath.Join(dir, ".roundtable"))
				return b.over() || err == nil
			})
			if after == "running" {
				untilStatus(t, dir, after, func(s campaigns.Status) bool { return s.Running > 0 })
			}
			noError(t, b.Process.Signal(sent))
			if code := b.code(t); code != cli.ExitInterrupted {
				t.Errorf("%v after %q: code %d\n%s", sent, after, code, &b.said)
			}
		}
	}
}

// modes: state and lake are nobody else's business.
func modes(t *testing.T, dir string) {
	t.Helper()
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	noError(t, err)
}

// TestBadFile: all errors at once, code 2, nothing begun.
func TestBadFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := `name: Bad Name
replicates: many
env: {name: exchange, agents: 1}
protocol: {name: roundtable, rounds: 10, round: 3}
model: {name: openai/gpt, base_url: "http://127.0.0.1:9/v1"}
cost: unknown
data: nowhere
grid:
  rule: [majority, majorty]
`
	save(t, dir, "bad.yaml", text)
	out, err := program(t, dir, "run", "bad.yaml").CombinedOutput()
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.ExitCode() != cli.ExitUsage {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, fault := range []string{
		"line 1: name", "line 2: replicates", "line 3: env", "line 4: protocol.round:", "line 5: model", "line 7: data", `line 9: rule: unknown decision rule "majorty"`,
	} {
		if !strings.Contains(string(out), fault) {
			t.Errorf("%q is not reported:\n%s", fault, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".roundtable")); err == nil {
		t.Error("a server was started")
	}
}

// TestOneState: a second run beside the first says who is there.
func TestOneState(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	dir := t.TempDir()
	writeSlow(t, dir, 200)
	b := runInBackground(t, dir)
	untilStatus(t, dir, "it runs", func(s campaigns.Status) bool { return s.Running > 0 })
	out, err := program(t, dir, "run", "slow.yaml").CombinedOutput()
	if err == nil || !strings.Contains(string(out), fmt.Sprint(b.Process.Pid)) {
		t.Errorf("the second run: %v\n%s", err, out)
	}
	b.Process.Signal(syscall.SIGTERM)
	if code := b.code(t); code != cli.ExitInterrupted {
		t.Errorf("SIGTERM ends with code %d", code)
	}
}
