package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"go.temporal.io/sdk/client"

	"roundtable/activities"
	"roundtable/activities/calls"
	"roundtable/envs/wording"
	"roundtable/workflows"
)

// How often progress is shown: on a terminal, and elsewhere.
const (
	liveEvery  = time.Second
	plainEvery = 10 * time.Second
)

// watch shows how far the campaign is until it ends, is paused by an error, or ctx ends.
func (r runOptions) watch(ctx context.Context, e *engine, run client.WorkflowRun, name string, cells int) (workflows.Status, error) {
	var status workflows.Status
	ended := make(chan error, 1)
	go func() {
		ended <- patiently(ctx, os.Stderr, "end of the campaign", func() error { return run.Get(ctx, &status) })
	}()
	show := newDisplay(os.Stderr)
	defer show.stop()
	p := progress{began: time.Now(), before: -1}
	shown := p.began
	tick := time.NewTicker(liveEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err == nil {
				p.finish(show, status, e.activities.Meter(), 0)
			}
			return status, err
		case <-tick.C:
			now, err := queryStatus(ctx, e.client, run.GetID())
			if err != nil {
				continue // the worker is busy; the next tick asks again
			}
			if now.Cells == 0 { // the plan is still to be looked through
				now.Cells = cells
			}
			paused := now.Paused && now.Running == 0 || now.Paused && now.PauseReason != "" && idle(e.activities)
			if paused {
				p.finish(show, now, e.activities.Meter(), e.activities.UnderWay(name))
				return now, nil
			}
			if show.live() || time.Since(shown) >= plainEvery {
				shown = time.Now()
				p.tell(show, now, e.activities.Meter(), e.activities.UnderWay(name))
			}
		}
	}
}

// idle says whether no call is under way.
func idle(a *activities.Activities) bool { return a.Meter().UnderWay == 0 }

// progress is what a line of progress is measured from.
type progress struct {
	began  time.Time
	before float64 // share that was done by then; -1 until the first line
	said   string  // what the last line said, without what changes with time alone
}

// tell shows a line of progress.
func (p *progress) tell(show *display, s workflows.Status, m calls.Reading, underWay float64) {
	p.said = news(s, m)
	show.show(p.line(s, m, underWay))
}

// finish shows the last line, unless it would be the one before it once more.
func (p *progress) finish(show *display, s workflows.Status, m calls.Reading, underWay float64) {
	if show.live() || p.said != news(s, m) {
		p.tell(show, s, m, underWay)
	}
}

// news returns what a line says of a campaign apart from times and rates.
func news(s workflows.Status, m calls.Reading) string {
	return fmt.Sprint(s.Done(), s.Cells, s.Failed, s.Running, s.Paused, s.PauseReason, m.Calls, m.Cached)
}

// line is the share of the campaign that is done, and what to say of it:
// collaborations, time left, calls, money. underWay is how much of the
// collaborations that have not ended is done, in collaborations.
func (p *progress) line(s workflows.Status, m calls.Reading, underWay float64) (share float64, line string) {
	share = shareDone(s, underWay)
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
		left := time.Duration(float64(took) / done * (1 - share))
		line += " · " + left.Round(time.Second).String() + " left"
	}
	line += fmt.Sprintf(" · %s · $%.2f", wording.Count(m.Calls, "call"), m.CostUSD)
	if m.Unpriced {
		line += "+?"
	}
	if m.Cached > 0 {
		line += fmt.Sprintf(" · %d cached", m.Cached)
	}
	line += fmt.Sprintf(" · %s tokens", short(m.InputTokens+m.OutputTokens))
	if s.Paused { // what was refused or made again is of the time before
		return share, line
	}
	if m.Failures > 0 {
		line += fmt.Sprintf(" · %d refused", m.Failures)
	}
	line += fmt.Sprintf(" · %.0f/s · %s", float64(m.Calls)/max(took.Seconds(), 0.001), wording.Count(m.Retries, "retry"))
	if m.Trouble != nil && time.Since(m.Trouble.At) < time.Minute {
		line += " · trying again after: " + firstLine(m.Trouble.Text)
	}
	return share, line
}

// shareDone is the share of a campaign's collaborations that is done, those
// under way counted by their turns.
func shareDone(s workflows.Status, underWay float64) float64 {
	if s.Cells == 0 {
		return 0
	}
	return min((float64(s.Done())+underWay)/float64(s.Cells), 1)
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
