package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/mattn/go-isatty"
	"go.temporal.io/sdk/client"

	"roundtable/activities"
	"roundtable/workflows"
)

// How often progress is shown: on a terminal, and elsewhere.
const (
	liveEvery  = time.Second
	plainEvery = 10 * time.Second
)

// watch shows how far the campaign is until it ends, is paused by an error, or ctx ends.
func (r runOptions) watch(ctx context.Context, e *engine, run client.WorkflowRun, cells int) (workflows.Status, error) {
	var status workflows.Status
	ended := make(chan error, 1)
	go func() { ended <- run.Get(ctx, &status) }()
	show := newDisplay(os.Stderr, cells)
	defer show.stop()
	began, shown := time.Now(), time.Now()
	tick := time.NewTicker(liveEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err == nil {
				show.update(status, e.activities.Meter(), time.Since(began))
			}
			return status, err
		case <-tick.C:
			now, err := queryStatus(ctx, e.client, run.GetID())
			if err != nil {
				continue // the worker is busy; the next tick asks again
			}
			paused := now.Paused && now.Running == 0 || now.Paused && now.PauseReason != "" && idle(e.activities)
			if show.live() || paused || time.Since(shown) >= plainEvery {
				shown = time.Now()
				show.update(now, e.activities.Meter(), time.Since(began))
			}
			if paused {
				return now, nil
			}
		}
	}
}

// idle says whether no call is under way.
func idle(a *activities.Activities) bool { return a.Meter().UnderWay == 0 }

// display is a live bar on a terminal and plain lines elsewhere.
type display struct {
	out     io.Writer
	writer  progress.Writer // nil off a terminal
	tracker *progress.Tracker
	before  int // cells that had ended when we began; -1 until the first status
}

func newDisplay(out *os.File, cells int) *display {
	d := &display{out: out, before: -1}
	if !isatty.IsTerminal(out.Fd()) {
		return d
	}
	if os.Getenv("NO_COLOR") != "" {
		text.DisableColors()
	}
	d.tracker = &progress.Tracker{Total: int64(cells), Units: progress.UnitsDefault}
	d.writer = progress.NewWriter()
	d.writer.SetOutputWriter(out)
	d.writer.SetUpdateFrequency(250 * time.Millisecond)
	d.writer.SetTrackerPosition(progress.PositionLeft)
	d.writer.SetMessageLength(110)
	style := d.writer.Style() // the line says value, time and speed itself
	style.Visibility.ETA, style.Visibility.Time, style.Visibility.Value = false, false, false
	style.Options.Separator, style.Options.DoneString, style.Options.ErrorString = " ", "", ""
	style.Options.PercentFormat = "%3.0f%%"
	d.writer.AppendTracker(d.tracker)
	go d.writer.Render()
	return d
}

func (d *display) live() bool { return d.writer != nil }

func (d *display) update(s workflows.Status, m activities.Reading, took time.Duration) {
	if d.before < 0 {
		d.before = s.Done()
	}
	line := progressLine(s, m, took, d.before)
	if !d.live() {
		fmt.Fprintln(d.out, line)
		return
	}
	d.tracker.UpdateTotal(int64(s.Cells))
	d.tracker.SetValue(int64(s.Done()))
	d.tracker.UpdateMessage(line)
}

func (d *display) stop() {
	if !d.live() {
		return
	}
	if d.tracker.Value() < d.tracker.Total {
		d.tracker.MarkAsErrored()
	} else {
		d.tracker.MarkAsDone()
	}
	time.Sleep(300 * time.Millisecond) // the writer draws the last state at its next tick
	d.writer.Stop()
	for d.writer.IsRenderInProgress() {
		time.Sleep(10 * time.Millisecond)
	}
}

// progressLine is one line of progress: cells, calls, money, time left.
func progressLine(s workflows.Status, m activities.Reading, took time.Duration, before int) string {
	line := fmt.Sprintf("%d/%d collaborations", s.Done(), s.Cells)
	if s.Failed > 0 {
		line += fmt.Sprintf(" (%d failed)", s.Failed)
	}
	line += fmt.Sprintf(" · %d calls · %.0f/s · %d retries · %s tokens · $%.2f",
		m.Calls, float64(m.Calls)/max(took.Seconds(), 0.001), m.Retries, short(m.InputTokens+m.OutputTokens), m.CostUSD)
	if m.Unpriced {
		line += "+?"
	}
	if m.Cached > 0 {
		line += fmt.Sprintf(" · %d cached", m.Cached)
	}
	if m.Failures > 0 {
		line += fmt.Sprintf(" · %d refused", m.Failures)
	}
	if m.Trouble != nil && time.Since(m.Trouble.At) < time.Minute {
		line += " · trying again after: " + firstLine(m.Trouble.Text)
	}
	if s.Paused {
		return line + " · paused: " + s.PauseReason
	}
	if done := s.Done() - before; done > 0 && s.Done() < s.Cells {
		left := time.Duration(float64(took) / float64(done) * float64(s.Cells-s.Done()))
		line += " · " + left.Round(time.Second).String() + " left"
	}
	return line
}

// firstLine of a text, cut for a line of progress.
func firstLine(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	if r := []rune(text); len(r) > 100 {
		return string(r[:100]) + "…"
	}
	return text
}

// short writes 1234567 as 1.2M.
func short(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.1fG", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.1fM", float64(n)/1e6)
	case n >= 1e3:
		return fmt.Sprintf("%.1fk", float64(n)/1e3)
	}
	return fmt.Sprint(n)
}
