package runs

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/mattn/go-isatty"
	"go.temporal.io/sdk/client"
	"golang.org/x/term"

	"roundtable/activities/calls"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/engine"
	"roundtable/envs/wording"
	"roundtable/workflows"
)

// watch shows how far the campaign is until it ends, is paused by an error, or ctx ends.
func (r Options) watch(ctx context.Context, e *engine.Engine, run client.WorkflowRun, name string,
	cells int) (workflows.Status, error) {
	show := newDisplay(os.Stderr)
	if r.Telemetry.Logs() {
		show = &display{out: e.Notices()}
	}
	defer show.stop()
	p := progress{began: time.Now(), before: -1}
	shown, stopped := p.began, false
	status, err := engine.Watch(ctx, e, run, "campaign", cli.LiveEvery, func(now workflows.Status) bool {
		if now.Cells == 0 { // the plan is still to be looked through
			now.Cells = cells
		}
		// a cancelled one is not paused, whatever for: its cells are still being stopped
		if stopped = now.Paused && !now.Notifying &&
			(now.Running == 0 || now.PauseReason != "" && !now.Cancelled &&
				e.Activities.Meter().UnderWay == 0); stopped {
			p.finish(show, now, e.Activities.Meter(), e.Activities.UnderWay(name))
		} else if stall := p.findStall(e, now, show); show.isLive() || time.Since(shown) >= cli.PlainEvery || stall {
			shown = time.Now()
			p.tell(show, now, e.Activities.Meter(), e.Activities.UnderWay(name))
		}
		return stopped
	})
	if err == nil && !stopped {
		p.finish(show, status, e.Activities.Meter(), 0)
	}
	return status, err
}

// progress is what a line of progress is measured from.
type progress struct {
	began   time.Time
	before  float64   // share that was done by then; -1 until the first line
	said    string    // what the last line said, without what changes with time alone
	pace    []pace    // readings of the last minute, one a second at most
	moved   time.Time // when the last call was answered or the last collaboration ended
	at      string    // where that was
	failing bool      // something is tried again
	stall   string    // what keeps the campaign from going on; "" while it does
	stuck   bool      // nothing has moved for a while, and it is said why
}

// stuckAfter is when a line on a terminal, which is cut, says whole why nothing moves.
const stuckAfter = 4 * time.Second

// findStall looks for what keeps the campaign from going on, and reports whether that is new.
// On a terminal, where the line is cut, it is said whole on a line of its own.
func (p *progress) findStall(e *engine.Engine, s workflows.Status, show *display) (isNew bool) {
	m := e.Activities.Meter()
	if at := fmt.Sprint(s.Done(), m.Calls, m.Cached); at != p.at {
		p.at, p.moved = at, time.Now()
	}
	before := p.stall
	p.stall = e.DescribeStall(time.Since(p.moved))
	isNew = p.stall != "" && before == "" || m.Trouble != nil && !p.failing
	p.failing = m.Trouble != nil
	p.tellStuck(show, m)
	return isNew
}

// tellStuck says on a terminal, once, why nothing moves.
func (p *progress) tellStuck(show *display, m calls.Reading) {
	why := p.wait(m)
	stuck := why != "" && time.Since(p.moved) >= stuckAfter
	if stuck && !p.stuck && show.isLive() {
		show.note(why)
	}
	p.stuck = stuck
}

// pace is what was counted by a time.
type pace struct {
	at            time.Time
	calls, tokens int64
}

// rateText returns the calls a minute and tokens a second of the last minute.
func (p *progress) rateText(m calls.Reading, now time.Time) string {
	if len(p.pace) == 0 {
		p.pace = []pace{{at: p.began}}
	}
	if now.Sub(p.pace[len(p.pace)-1].at) >= time.Second {
		p.pace = append(p.pace, pace{now, m.Calls, m.InputTokens + m.OutputTokens})
	}
	for len(p.pace) > 2 && now.Sub(p.pace[1].at) >= time.Minute {
		p.pace = p.pace[1:]
	}
	from := p.pace[0]
	took := max(now.Sub(from.at).Seconds(), 0.001)
	perMinute := int64(math.Round(float64(m.Calls-from.calls) / took * 60))
	perSecond := int64(math.Round(float64(m.InputTokens+m.OutputTokens-from.tokens) / took))
	return fmt.Sprintf("%s/min, %s tokens/s", wording.Count(perMinute, "call"), cli.Abbreviate(perSecond))
}

// tell shows a line of progress.
func (p *progress) tell(show *display, s workflows.Status, m calls.Reading, underWay float64) {
	p.said = newsText(s, m)
	show.show(p.lineOf(s, m, underWay))
}

// finish shows the last line, unless it would be the one before it once more.
func (p *progress) finish(show *display, s workflows.Status, m calls.Reading, underWay float64) {
	if show.isLive() || p.said != newsText(s, m) {
		p.tell(show, s, m, underWay)
	}
}

// newsText returns what a line says of a campaign apart from times and rates.
func newsText(s workflows.Status, m calls.Reading) string {
	return fmt.Sprint(s.Done(), s.Cells, s.Failed, s.Running, s.Paused, s.PauseReason, m.Calls, m.Cached)
}

// mostLeft bounds the time left that is said.
const mostLeft = 365 * 24 * time.Hour

// lineOf returns the share of the campaign that is done, and what to say of it:
// collaborations, time left, calls, money. underWay is how much of the
// collaborations that have not ended is done, in collaborations.
func (p *progress) lineOf(s workflows.Status, m calls.Reading, underWay float64) (share float64, line string) {
	share = campaigns.ShareDone(s, underWay)
	if p.before < 0 {
		p.before = share
	}
	took := time.Since(p.began)
	line = fmt.Sprintf("%d/%s", s.Done(), wording.Count(s.Cells, "collaboration"))
	if s.Failed > 0 {
		line += fmt.Sprintf(" (%d failed)", s.Failed)
	}
	if s.Running > 0 {
		line += fmt.Sprintf(", %d running", s.Running)
	}
	if s.Paused {
		line += " · paused: " + s.PauseReason
	} else if done := share - p.before; done > 0 && share < 1 {
		// of almost nothing no time can be told
		if left := float64(took) / done * (1 - share); left < float64(mostLeft) {
			line += " · " + time.Duration(left).Round(time.Second).String() + " left"
		}
	}
	line += fmt.Sprintf(" · %s · $%.2f", wording.Count(m.Calls, "call"), m.CostUSD)
	if m.Unpriced {
		line += "+?"
	}
	if m.Cached > 0 {
		line += fmt.Sprintf(" · %d cached", m.Cached)
	}
	line += fmt.Sprintf(" · %s tokens", cli.Abbreviate(m.InputTokens+m.OutputTokens))
	if s.Paused { // what was refused or made again is of the time before
		return share, line
	}
	if m.Failures > 0 {
		line += fmt.Sprintf(" · %d refused", m.Failures)
	}
	line += fmt.Sprintf(" · %s · %s", p.rateText(m, time.Now()), wording.Count(m.Retries, "retry"))
	if why := p.wait(m); why != "" {
		line += " · " + why
	}
	return share, line
}

// wait returns why the campaign does not go on as it should: what failed, since when and
// until when it is not tried again, and what turns wait for; "" if it goes on.
func (p *progress) wait(m calls.Reading) string {
	var parts []string
	const clock = "15:04:05 UTC"
	if t := m.Trouble; t != nil && (time.Since(t.At) < time.Minute || time.Until(t.Until) > 0 || p.moved.Before(t.At)) {
		text := fmt.Sprintf("trying again after: %s (since %s", cli.OneLine(t.Text), t.Since.UTC().Format(clock))
		if time.Until(t.Until) > 0 {
			text += fmt.Sprintf("; the service has asked for a pause until %s; %s", t.Until.UTC().Format(clock),
				calls.ResumeTries)
		}
		parts = append(parts, text+")")
	}
	if p.stall != "" {
		parts = append(parts, p.stall)
	}
	return strings.Join(parts, " · ")
}

// barCells is the length of the bar on a terminal, and barFrom the narrowest
// terminal that has room for one.
const (
	barCells = 20
	barFrom  = 70
)

// clearBelow erases from the cursor to the end of the screen.
const clearBelow = "\x1b[J"

// display shows progress: one line in place on a terminal, and lines of their
// own elsewhere.
type display struct {
	out   io.Writer
	width func() int // of the terminal now; nil elsewhere
	last  string     // what the line showed last, unclipped
}

func newDisplay(out *os.File) *display {
	d := &display{out: out}
	if isatty.IsTerminal(out.Fd()) {
		d.width = func() int {
			columns, _, err := term.GetSize(int(out.Fd()))
			if err != nil || columns < 1 {
				return 80
			}
			return columns
		}
	}
	return d
}

func (d *display) isLive() bool { return d.width != nil }

// show replaces the line on a terminal, and writes another one elsewhere.
func (d *display) show(share float64, line string) {
	line = strings.ReplaceAll(wording.SafeLines(line), "\n", " ")
	if !d.isLive() {
		fmt.Fprintln(d.out, line)
		return
	}
	d.last = fmt.Sprintf("%3.0f%% ", 100*share)
	if d.width() >= barFrom {
		d.last += barText(share) + " "
	}
	d.last += line
	d.draw("\r")
}

// draw writes the line, never as long as the terminal is wide, and what ends it.
// The cursor rests at the line's beginning: whatever a resize makes of the
// line is below it, and is erased by the next draw.
func (d *display) draw(end string) {
	fmt.Fprint(d.out, "\r", clearBelow, text.Snip(d.last, d.width()-1, "…"), end)
}

// note leaves a text, whole, above the line on a terminal.
func (d *display) note(text string) {
	fmt.Fprint(d.out, "\r", clearBelow, strings.ReplaceAll(wording.SafeLines(text), "\n", " "), "\r\n")
	d.draw("\r")
}

// stop leaves the last line on the screen and the cursor below it.
func (d *display) stop() {
	if d.isLive() && d.last != "" {
		d.draw("\r\n")
	}
}

func barText(share float64) string {
	full := int(min(max(share, 0), 1) * barCells)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barCells-full) + "]"
}
