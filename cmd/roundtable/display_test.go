package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"roundtable/activities/calls"
	"roundtable/activities/ledger"
	"roundtable/cmd/internal/cli"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// screen is a terminal: what is written to it is on its screen.
type screen struct {
	control, tty *os.File
	vt           vt10x.Terminal
	mu           sync.Mutex
	written      bytes.Buffer
}

func newScreen(t *testing.T, columns int) *screen {
	t.Helper()
	s := &screen{vt: vt10x.New(vt10x.WithSize(columns, 24))}
	var err error
	if s.control, s.tty, err = pty.Open(); err != nil {
		t.Skip("no terminal can be made here: ", err)
	}
	t.Cleanup(func() { s.tty.Close(); s.control.Close() })
	s.size(t, columns)
	go s.read(s.control)
	return s
}

// read puts what comes from a terminal's other side on the screen.
func (s *screen) read(control *os.File) {
	b := make([]byte, 4096)
	for {
		n, err := control.Read(b)
		s.mu.Lock()
		s.written.Write(b[:n])
		s.mu.Unlock()
		_, _ = s.vt.Write(b[:n])
		if err != nil {
			return
		}
	}
}

// follow makes the screen that of a program that has a terminal of its own.
func (s *screen) follow(control *os.File) {
	s.control = control
	go s.read(control)
}

// size changes the width of the terminal.
func (s *screen) size(t *testing.T, columns int) {
	t.Helper()
	if err := pty.Setsize(s.control, &pty.Winsize{Rows: 24, Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	s.vt.Resize(columns, 24)
}

// lines are those of the screen that are not empty.
func (s *screen) lines() []string {
	var lines []string
	for line := range strings.SplitSeq(s.vt.String(), "\n") {
		if line = strings.TrimRight(line, " "); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

func (s *screen) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written.String()
}

// shows waits until some line of the screen has a text, and returns all of them.
func (s *screen) shows(t *testing.T, text string) []string {
	t.Helper()
	var lines []string
	until(t, fmt.Sprintf("the screen shows %q", text), func() bool {
		lines = s.lines()
		return strings.Contains(strings.Join(lines, "\n"), text)
	})
	return lines
}

func line(n int) (float64, string) {
	p := progress{began: time.Now().Add(-time.Minute), before: 0}
	m := calls.Reading{Calls: 1234, InputTokens: 5e6, CostUSD: 12.5, Unpriced: true, Trouble: &calls.Trouble{At: time.Now(), Text: "openai/gpt: 503 the service is \x1b[31moverloaded\nand more of this"}}
	return p.line(workflows.Status{Succeeded: n, Failed: 1, Running: 8, Cells: 54}, m, 2.5)
}

// A paused campaign shows why it is paused, and nothing that is tried again.
func TestPausedDisplay(t *testing.T) {
	p := progress{began: time.Now(), before: 0}
	m := calls.Reading{Calls: 1, Failures: 3, Retries: 1, Trouble: &calls.Trouble{At: time.Now(), Text: "400 invalid_request_error"}}
	_, text := p.line(workflows.Status{Paused: true, PauseReason: "no credit", Cells: 4}, m, 0)
	if text != "0/4 collaborations · paused: no credit · 1 call · $0.00 · 0 tokens" {
		t.Error(text)
	}
	if _, text = p.line(workflows.Status{Cells: 4}, m, 0); !strings.Contains(text, "3 refused") || !strings.Contains(text, "1 retry · trying again after: 400") {
		t.Error(text)
	}
}

// Answers of the cache are shown next to the calls, during a run and by status;
// without any, neither speaks of a cache.
func TestCachedAnswersAreShown(t *testing.T) {
	for cached, want := range map[int64][2]string{0: {"", ""}, 7: {"· $0.00 · 7 cached ·", "0 calls and 7 answers from the cache, "}} {
		p := progress{began: time.Now(), before: 0}
		_, text := p.line(workflows.Status{Cells: 4}, calls.Reading{Cached: cached}, 0)
		var status strings.Builder
		campaignStatus{UnderWay: ledger.Unended{Spent: task.Result{Cached: cached}}}.print(&status)
		for i, says := range []string{text, status.String()} {
			if !strings.Contains(says, want[i]) || strings.Contains(says, "cache") != (cached > 0) {
				t.Errorf("%d answers of the cache: %s", cached, says)
			}
		}
	}
}

// Where lines follow each other, the last one is there once, also if the
// campaign's end is seen before its workflow has ended.
func TestLastLineIsThereOnce(t *testing.T) {
	var out bytes.Buffer
	d, p := &display{out: &out}, progress{began: time.Now().Add(-time.Minute), before: 0}
	m, all := calls.Reading{Calls: 18}, workflows.Status{Succeeded: 1, Cells: 1}
	p.tell(d, workflows.Status{Cells: 1, Running: 1}, m, 0.5)
	p.tell(d, all, m, 0)
	p.began = p.began.Add(-time.Minute) // the rate is another one meanwhile
	p.finish(d, all, m, 0)
	if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != 2 || !strings.HasPrefix(lines[1], "1/1 collaboration · 18 calls") {
		t.Errorf("%q", lines)
	}
	m.Calls++
	p.finish(d, all, m, 0)
	if n := strings.Count(out.String(), "\n"); n != 3 {
		t.Errorf("what is new at the end is not said:\n%s", &out)
	}
}

// The display is one line at every width, and after every resize.
func TestDisplayIsOneLine(t *testing.T) {
	for _, columns := range []int{20, 60, 80, 100, 140} {
		s := newScreen(t, columns)
		d := newDisplay(s.tty)
		fmt.Fprint(s.tty, "before\r\n")
		for n := range 12 {
			d.show(line(n))
		}
		d.stop()
		fmt.Fprint(s.tty, "after\r\n")
		lines := s.shows(t, "after")
		if len(lines) != 3 || lines[0] != "before" || !strings.HasPrefix(lines[1], " 27%") || lines[2] != "after" {
			t.Errorf("%d columns wide:\n%s", columns, strings.Join(lines, "\n"))
		}
		if columns >= 60 && (!strings.Contains(lines[1], "12/54 collaborations (1 failed)") || columns >= 100 && !strings.Contains(lines[1], "left · 1234 calls")) {
			t.Errorf("%d columns wide, what counts is cut off: %s", columns, lines[1])
		}
	}
}

func TestDisplayAfterResize(t *testing.T) {
	s := newScreen(t, 140)
	d := newDisplay(s.tty)
	for n, columns := range []int{140, 60, 100, 60, 140} {
		s.shows(t, "") // nothing is left to be drawn at the width of before
		s.size(t, columns)
		d.show(line(n))
		lines := s.shows(t, fmt.Sprintf("%d/54", n+1))
		if len(lines) != 1 || len([]rune(lines[0])) >= columns {
			t.Errorf("at %d columns:\n%s", columns, strings.Join(lines, "\n"))
		}
	}
}

// What the terminal echoes for Ctrl-C does not mix with the last line.
func TestDisplayAfterCtrlC(t *testing.T) {
	s := newScreen(t, 100)
	d := newDisplay(s.tty)
	d.show(line(10))
	fmt.Fprint(s.tty, "^C")
	s.shows(t, "^C")
	d.stop()
	fmt.Fprint(s.tty, "interrupted\r\n")
	if lines := s.shows(t, "interrupted"); len(lines) != 2 || !strings.HasPrefix(lines[0], " 25% [####") || !strings.Contains(lines[0], " 11/54 ") {
		t.Errorf("after Ctrl-C:\n%s", strings.Join(lines, "\n"))
	}
}

func TestDisplayOffATerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	d := newDisplay(w)
	d.show(line(3))
	d.stop()
	w.Close()
	out, err := io.ReadAll(r)
	if got := string(out); err != nil || strings.Count(got, "\n") != 1 || strings.ContainsAny(got, "\r\x1b") || !strings.HasPrefix(got, "4/54 collaborations") {
		t.Errorf("%v, %q", err, got)
	}
}

// A campaign on a terminal, its standard output piped: one line, which moves
// before any collaboration has ended, and no leftovers after Ctrl-C.
func TestLiveProgress(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	save(t, dir, "slow.yaml", "name: slow\nreplicates: 4\nenv: exchange\nprotocol: {name: roundtable, rounds: 8}\nrule: majority\nmodel: {name: scripted/trader, latency: 300ms}\n")
	s := newScreen(t, 80)
	var piped bytes.Buffer
	start := func() (wait func() int) {
		cmd := program(t, dir, "run", "slow.yaml")
		cmd.Stdout = &piped
		control, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); control.Close() })
		s.follow(control)
		return func() int { _ = cmd.Wait(); return cmd.ProcessState.ExitCode() }
	}
	wait := start()
	until(t, "it moves", func() bool {
		lines := s.lines()
		return len(lines) > 0 && strings.Contains(lines[len(lines)-1], " 0/4 collaborations") && !strings.HasPrefix(lines[len(lines)-1], "  0%")
	})
	s.size(t, 60)
	until(t, "it is drawn anew", func() bool {
		lines := s.lines()
		return strings.HasPrefix(lines[len(lines)-1], " ") && strings.HasSuffix(lines[len(lines)-1], "…")
	})
	fmt.Fprint(s.control, "\x03")
	if code := wait(); code != cli.ExitInterrupted {
		t.Errorf("Ctrl-C ends it with code %d", code)
	}
	lines := s.shows(t, "resume with: roundtable run slow.yaml")
	drawn := 0
	for _, l := range lines {
		if strings.Contains(l, "collaborations") && strings.Contains(l, "%") {
			drawn++
		}
	}
	if drawn != 1 {
		t.Errorf("%d lines of progress are left:\n%s", drawn, strings.Join(lines, "\n"))
	}
	if all := s.all(); strings.Contains(all, "/0 ") || strings.Contains(all, "???") {
		t.Errorf("progress of nothing: %q", all)
	}
}
