package engine

import (
	"context"
	"fmt"
	"io"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
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
			fmt.Fprintf(w, "\n%s has not answered for %s (%s). Nothing is lost: answers that arrive are stored, and campaigns continue when it answers. Waiting; Ctrl-C ends this process\n",
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
		seen, ok := lastPoll(ctx, e.Client, e.shared.Namespace, e.Queue, e.identity)
		if !ok {
			continue
		}
		if text := describeSkew(began, time.Now(), seen); text != "" {
			fmt.Fprintf(w, "\nThe clock of this machine is %s that of Temporal at %s. Times in the tables, limits a minute and budgets shared with other machines go by it: set the clocks (NTP)\n", text, e.shared.Address)
		}
		return
	}
}

// lastPoll returns when the server has last heard of a worker, by the server's clock.
func lastPoll(ctx context.Context, c client.Client, namespace, queue, identity string) (at time.Time, ok bool) {
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

// DescribeStall says what keeps the campaigns of this process from going on, if nothing of
// it has moved for a while; "" if that is not known.
func (e *Engine) DescribeStall(still time.Duration) string {
	if text := e.lake.Stalled(stallAfter); text != "" || still < stallAfter {
		return text
	}
	if all := e.Activities.Waits(); len(all) > 0 {
		return campaigns.DescribeWaits(campaigns.SortWaits(all))
	}
	return ""
}
