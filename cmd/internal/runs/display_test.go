package runs

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"roundtable/activities/calls"
	"roundtable/activities/ledger"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/screentest"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

func line(n int) (float64, string) {
	p := progress{began: time.Now().Add(-time.Minute), before: 0}
	m := calls.Reading{Calls: 1234, InputTokens: 5e6, CostUSD: 12.5, Unpriced: true, Trouble: &calls.Trouble{At: time.Now(), Text: "openai/gpt: 503 the service is \x1b[31moverloaded\nand more of this"}}
	return p.lineOf(workflows.Status{Succeeded: n, Failed: 1, Running: 8, Cells: 54}, m, 2.5)
}

// A paused campaign shows why it is paused, and nothing that is tried again.
func TestPausedDisplay(t *testing.T) {
	p := progress{began: time.Now(), before: 0}
	m := calls.Reading{Calls: 1, Failures: 3, Retries: 1, Trouble: &calls.Trouble{At: time.Now(), Text: "400 invalid_request_error"}}
	_, text := p.lineOf(workflows.Status{Paused: true, PauseReason: "no credit", Cells: 4}, m, 0)
	if text != "0/4 collaborations · paused: no credit · 1 call · $0.00 · 0 tokens" {
		t.Error(text)
	}
	if _, text = p.lineOf(workflows.Status{Cells: 4}, m, 0); !strings.Contains(text, "3 refused") || !strings.Contains(text, "1 retry · trying again after: 400") {
		t.Error(text)
	}
}

// Why a campaign does not go on is said whole: what failed, since when, until when, and what
// ends it; also where it lasts for longer than a minute, and on a terminal that cuts lines.
func TestWaitIsWhole(t *testing.T) {
	now := time.Now()
	p := progress{began: now.Add(-time.Hour), moved: now.Add(-9 * time.Minute), before: 0}
	m := calls.Reading{Trouble: &calls.Trouble{
		Since: now.Add(-8 * time.Minute), At: now.Add(-3 * time.Minute), Until: now.Add(7 * time.Minute), Text: "openai/gpt: 429 " + strings.Repeat("word ", 60) + "end",
	}}
	want := []string{
		"trying again after: openai/gpt: 429 ", "word end (since " + m.Trouble.Since.UTC().Format("15:04:05 UTC"),
		"the service has asked for a pause until " + m.Trouble.Until.UTC().Format("15:04:05 UTC"), "roundtable resume NAME tries at once",
	}
	_, text := p.lineOf(workflows.Status{Cells: 4, Running: 4}, m, 0)
	s := screentest.New(t, 60)
	d := newDisplay(s.Tty)
	d.show(line(1))
	p.tellStuck(d, m)
	p.tellStuck(d, m)
	d.stop()
	fmt.Fprint(s.Tty, "after\r\n")
	on := strings.ReplaceAll(strings.Join(s.Shows(t, "after"), ""), " ", "")
	for _, part := range want {
		if !strings.Contains(text, part) || strings.Count(on, strings.ReplaceAll(part, " ", "")) != 1 {
			t.Errorf("without %q:\n%s\non a terminal:\n%s", part, text, on)
		}
	}
	p.moved = now // something was answered since
	m.Trouble = nil
	if _, text = p.lineOf(workflows.Status{Cells: 4, Running: 4}, m, 0); strings.Contains(text, "trying") {
		t.Error(text)
	}
}

// Answers of the cache are shown next to the calls, during a run and by status;
// without any, neither speaks of a cache.
func TestCachedAnswersAreShown(t *testing.T) {
	for cached, want := range map[int64][2]string{0: {"", ""}, 7: {"· $0.00 · 7 cached ·", "0 calls and 7 answers from the cache, "}} {
		p := progress{began: time.Now(), before: 0}
		_, text := p.lineOf(workflows.Status{Cells: 4}, calls.Reading{Cached: cached}, 0)
		var status strings.Builder
		campaigns.Status{UnderWay: ledger.Unended{Spent: task.Result{Cached: cached}}}.Write(&status)
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
		s := screentest.New(t, columns)
		d := newDisplay(s.Tty)
		fmt.Fprint(s.Tty, "before\r\n")
		for n := range 12 {
			d.show(line(n))
		}
		d.stop()
		fmt.Fprint(s.Tty, "after\r\n")
		lines := s.Shows(t, "after")
		if len(lines) != 3 || lines[0] != "before" || !strings.HasPrefix(lines[1], " 27%") || lines[2] != "after" {
			t.Errorf("%d columns wide:\n%s", columns, strings.Join(lines, "\n"))
		}
		if columns >= 60 && (!strings.Contains(lines[1], "12/54 collaborations (1 failed)") || columns >= 100 && !strings.Contains(lines[1], "left · 1234 calls")) {
			t.Errorf("%d columns wide, what counts is cut off: %s", columns, lines[1])
		}
	}
}

func TestDisplayAfterResize(t *testing.T) {
	s := screentest.New(t, 140)
	d := newDisplay(s.Tty)
	for n, columns := range []int{140, 60, 100, 60, 140} {
		s.Shows(t, "") // nothing is left to be drawn at the width of before
		s.Size(t, columns)
		d.show(line(n))
		lines := s.Shows(t, fmt.Sprintf("%d/54", n+1))
		if len(lines) != 1 || len([]rune(lines[0])) >= columns {
			t.Errorf("at %d columns:\n%s", columns, strings.Join(lines, "\n"))
		}
	}
}

// What the terminal echoes for Ctrl-C does not mix with the last line.
func TestDisplayAfterCtrlC(t *testing.T) {
	s := screentest.New(t, 100)
	d := newDisplay(s.Tty)
	d.show(line(10))
	fmt.Fprint(s.Tty, "^C")
	s.Shows(t, "^C")
	d.stop()
	fmt.Fprint(s.Tty, "interrupted\r\n")
	if lines := s.Shows(t, "interrupted"); len(lines) != 2 || !strings.HasPrefix(lines[0], " 25% [####") || !strings.Contains(lines[0], " 11/54 ") {
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

// Of almost nothing that is done nobody can tell how long the rest takes.
func TestTimeLeftOfAlmostNothing(t *testing.T) {
	p := progress{began: time.Now().Add(-time.Hour), before: 0}
	for underWay, says := range map[float64]bool{1e-9: false, 1: true} {
		_, text := p.lineOf(workflows.Status{Cells: 4, Running: 1}, calls.Reading{}, underWay)
		if strings.Contains(text, " left") != says || strings.Contains(text, "-") {
			t.Errorf("%v under way: %s", underWay, text)
		}
	}
}
