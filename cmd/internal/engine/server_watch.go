package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/infra"
)

// How often a shared server is asked whether it is there, how long it has for an answer,
// and how long it may be silent before that is said.
const (
	askServerEvery  = 5 * time.Second
	serverAnswersIn = 5 * time.Second
	silenceIsSaid   = 10 * time.Second
)

// watchServer says when a shared server does not answer, and when it does again. The
// SDK asks it again and again without a word.
func (e *Engine) watchServer(ctx context.Context, w io.Writer) {
	watchSilence(ctx, w, "Temporal at "+e.shared.Address, askServerEvery, silenceIsSaid,
		func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, serverAnswersIn)
			defer cancel()
			_, err := e.Client.WorkflowService().GetSystemInfo(ctx, &workflowservice.GetSystemInfoRequest{})
			return err
		})
}

// watchSilence asks at every interval, and says when there was no answer for a while, and
// when there is one again.
func watchSilence(ctx context.Context, w io.Writer, who string, every, patience time.Duration,
	ask func(context.Context) error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	var silent time.Time // since when; zero while it answers
	said := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		began := time.Now()
		err := ask(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && said:
			fmt.Fprintf(w, "\n%s answers again after %s\n", who, time.Since(silent).Round(time.Second))
			silent, said = time.Time{}, false
		case err == nil:
			silent = time.Time{}
		case silent.IsZero():
			silent = began
		case !said && time.Since(silent) >= patience:
			said = true
			fmt.Fprintf(w, "\n%s has not answered for %s (%s). Nothing is lost: answers that arrive are stored, "+
				"and campaigns continue when it answers. Waiting; Ctrl-C ends this process\n",
				who, time.Since(silent).Round(time.Second), cli.OneLine(err.Error()))
		}
	}
}

// clockMayDiffer is by how much clocks may differ before that is said: rows, limits a
// minute and what a budget has lent to a process go by them.
const clockMayDiffer = time.Minute

// checkClock compares this machine's clock with the server's, which says when it has
// last heard of the workers of a queue.
func (e *Engine) checkClock(ctx context.Context, w io.Writer) {
	began := time.Now()
	for range 20 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(500 * time.Millisecond):
		}
		seen, ok := LastPoll(ctx, e.Client, e.shared.Namespace, e.Queue, e.identity)
		if !ok {
			continue
		}
		if text := describeSkew(began, time.Now(), seen); text != "" {
			fmt.Fprintf(w, "\nThe clock of this machine is %s that of Temporal at %s. Times in the tables, limits "+
				"a minute and budgets shared with other machines go by it: set the clocks (NTP)\n", text,
				e.shared.Address)
		}
		return
	}
}

// LastPoll returns when the server has last heard of a worker, by the server's clock.
func LastPoll(ctx context.Context, c client.Client, namespace, queue, identity string) (at time.Time, ok bool) {
	d, err := c.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
		Namespace: namespace, TaskQueue: &taskqueuepb.TaskQueue{Name: queue},
		TaskQueueType: enumspb.TASK_QUEUE_TYPE_WORKFLOW,
	})
	if err != nil {
		return at, false
	}
	for _, p := range d.GetPollers() {
		if p.GetIdentity() == identity {
			return p.GetLastAccessTime().AsTime(), true
		}
	}
	return at, false
}

// describeSkew says how far this machine's clock is from another's by which something
// that happened between began and now was at seen; "" if they agree about it.
func describeSkew(began, now, seen time.Time) string {
	switch {
	case seen.Before(began.Add(-clockMayDiffer)):
		return fmt.Sprintf("%s ahead of", began.Sub(seen).Round(time.Second))
	case seen.After(now.Add(clockMayDiffer)):
		return fmt.Sprintf("%s behind", seen.Sub(now).Round(time.Second))
	}
	return ""
}

// A campaign that has not moved for stallAfter says on its progress line why.
const stallAfter = 4 * time.Second

// DescribeStall returns why the campaigns of this process do not advance, if nothing has moved for the
// duration still; "" if it is not known.
func (e *Engine) DescribeStall(still time.Duration) string {
	if text := e.lake.Stalled(stallAfter); text != "" || still < stallAfter {
		return text
	}
	if all := e.Activities.Waits(); len(all) > 0 {
		return campaigns.DescribeWaits(campaigns.SortWaits(all))
	}
	return ""
}

// errSetBack ends work whose engine waits for times that are far again.
var errSetBack = errors.New("the clock was set back")

// UnderClock runs work, which starts an engine, and runs it again if the clock was set back meanwhile, because
// the timers of an embedded server depend on it. It cancels work's context first, so answers under way are
// kept, and writes each restart to notices.
func UnderClock(ctx context.Context, notices io.Writer, work func(context.Context) error) error {
	for {
		inner, end := context.WithCancelCause(ctx)
		go watchClock(inner, end, newClock(), time.Second)
		err := work(inner)
		setBack := errors.Is(context.Cause(inner), errSetBack)
		end(nil)
		if !setBack || ctx.Err() != nil {
			return err
		}
		fmt.Fprintln(notices, "\nThe clock was set back: the engine starts again.")
	}
}

// newClock returns a function for the time of day and for what has passed by a clock that
// nobody sets.
func newClock() func() (time.Time, time.Duration) {
	began := time.Now()
	return func() (time.Time, time.Duration) {
		now := time.Now()
		return now.Round(0), now.Sub(began)
	}
}

// watchClock ends ctx when the time of day goes back by more than the engine's timers may.
func watchClock(ctx context.Context, end context.CancelCauseFunc, now func() (time.Time, time.Duration),
	every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for day, passed := now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		newDay, newPassed := now()
		if back := (newPassed - passed) - newDay.Sub(day); back > infra.ClockTolerance {
			end(errSetBack)
			return
		}
		day, passed = newDay, newPassed
	}
}

// lookAroundEvery is how often a worker looks at what else runs in its namespace.
const lookAroundEvery = 30 * time.Second

// Neighbours watches the campaigns that run in the namespace of a shared server until ctx ends, and writes to
// w which ones this process works for and why not for the others. It returns an error if a campaign of this
// lake is encrypted with a key that this process lacks.
func (e *Engine) Neighbours(ctx context.Context, w io.Writer) error {
	said := map[string]bool{}
	tick := time.NewTicker(lookAroundEvery)
	defer tick.Stop()
	for {
		if err := e.lookAround(ctx, w, said); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// lookAround looks once; said are the runs that were spoken of already.
func (e *Engine) lookAround(ctx context.Context, w io.Writer, said map[string]bool) error {
	all, err := e.shared.ListRunning(ctx, e.Client)
	if err != nil {
		return nil //nolint:nilerr // watchServer says that the server does not answer
	}
	for _, r := range all {
		if said[r.WorkflowID+r.Queue] {
			continue
		}
		said[r.WorkflowID+r.Queue] = true // its later runs are the same campaign
		if r.Queue != e.Queue {
			fmt.Fprintf(w, "campaign %s runs here %s: this process takes no part in it\n", r.Name(),
				e.shared.DescribeForeign(r.Queue))
			continue
		}
		if err := e.shared.CheckReadable(ctx, e.Client, r); err != nil {
			return err
		}
		fmt.Fprintf(w, "campaign %s: this process takes part in it\n", r.Name())
	}
	if len(said) == 0 {
		said[""] = true
		fmt.Fprintf(w, "no campaign runs in the namespace %s yet\n", e.shared.Namespace)
	}
	return nil
}

// CheckReadable returns an error if a running campaign of this lake is encrypted with a key that this process
// lacks: its worker would get tasks that it can only fail.
func (e *Engine) CheckReadable(ctx context.Context) error {
	if e.shared == nil {
		return nil
	}
	all, err := e.shared.ListRunning(ctx, e.Client)
	if err != nil {
		return fmt.Errorf("the Temporal server at %s: %w", e.shared.Address, err)
	}
	for _, r := range all {
		if r.Queue == e.Queue {
			if err := e.shared.CheckReadable(ctx, e.Client, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// Describe returns a line for an engine on a shared server: worker, lake, server, namespace and task queue.
func (e *Engine) Describe() string {
	_, lake, _ := strings.Cut(e.Queue, "@")
	return fmt.Sprintf("worker %s, lake %s (%s), Temporal at %s, namespace %s, task queue %s", e.name, e.shared.Lake,
		lake, e.shared.Address, e.shared.Namespace, e.Queue)
}

// share finds out which of a server's campaigns are this lake's.
func (e *Engine) share(ctx context.Context, o *cli.Options, s store.Store) error {
	known, err := lake.Identify(ctx, s)
	if err != nil {
		return fmt.Errorf("the lake %s: %w", o.LakeName(), err)
	}
	e.shared, err = campaigns.NewSharedServer(o, known.ID)
	if err == nil {
		e.Queue = e.shared.Queue
	}
	return err
}

// RefuseForeign returns an error of type Foreign if a workflow of this name runs for
// another lake or by another engine: it would be taken for this lake's.
func (e *Engine) RefuseForeign(ctx context.Context, workflowID string) error {
	if e.shared == nil {
		return nil
	}
	return e.shared.RefuseForeign(ctx, e.Client, workflowID)
}
