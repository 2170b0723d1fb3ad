package engine

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"roundtable/activities/calls"
	"roundtable/activities/programs"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/telemetry"
	"roundtable/envs/wording"
	"roundtable/workflows"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// openTelemetry opens log and metrics, and returns the store whose requests they count.
func (e *Engine) openTelemetry(o *cli.Options, s store.Store) (store.Store, error) {
	e.log, e.notices = slog.New(slog.DiscardHandler), Notices(o)
	if _, err := o.Telemetry.Level(); err != nil {
		return nil, err
	}
	if o.Telemetry.Logs() {
		e.log = campaigns.OpenWorkerLog(o)
	}
	var err error
	if e.metrics, err = telemetry.Listen(o.Telemetry.Metrics, e.notices); err != nil {
		return nil, cli.UsageError(err)
	}
	if e.traces, err = telemetry.OpenTraces(context.Background(), cli.ShortVersion(), e.notices); err != nil {
		return nil, cli.UsageError(err)
	}
	e.log.Info("starting", "version", cli.ShortVersion(), "lake", o.LakeName())
	return e.metrics.Store(s), nil
}

// drain says that the engine takes no more work, and returns what is to be done at the end.
func (e *Engine) drain() (end func()) {
	e.metrics.SetWorking(false)
	e.log.Info("stopping: answers under way come in")
	return func() {
		e.traces.Close()
		e.log.Info("stopped")
		e.metrics.Close()
	}
}

// sayNoticed says what a campaign's operator must know, and what of it could not be sent.
func (e *Engine) sayNoticed(n programs.Notice, unsent error) {
	if unsent != nil {
		fmt.Fprintf(e.notices, "\nnotice of campaign %s (%s) was not sent: %s\n", n.Campaign, n.Event,
			wording.SafeLines(unsent.Error()))
		return
	}
	attrs := []any{"campaign", n.Campaign, "succeeded", n.Succeeded, "failed", n.Failed, "stopped", n.Stopped,
		"cells", n.Cells}
	switch {
	case n.Paused:
		e.log.Warn("campaign paused", append(attrs, "reason", n.Reason)...)
	case n.Event == plan.NotifyBudget:
		e.log.Warn("budget", "campaign", n.Campaign, "reason", n.Reason)
	default:
		e.log.Info("campaign ended", attrs...)
	}
}

// Notices returns the writer for messages to the operator while no engine runs: standard error, or the log
// that the flags ask for.
func Notices(o *cli.Options) io.Writer {
	if o.Telemetry.Logs() {
		return telemetry.Lines(campaigns.OpenWorkerLog(o))
	}
	return os.Stderr
}

// Notices returns the writer for messages to the operator: standard error, or the log.
func (e *Engine) Notices() io.Writer { return e.notices }

// Log returns the log that --log-format asks for, or one that discards everything.
func (e *Engine) Log() *slog.Logger { return e.log }

// callListeners returns who hears what the activities do.
func (e *Engine) callListeners(o *cli.Options) calls.Listeners {
	var all calls.Listeners
	if o.Telemetry.Logs() {
		all = append(all, telemetry.Log(e.log))
	}
	if e.traces != nil {
		all = append(all, e.traces)
	}
	if l := e.metrics.Listener(); l != nil {
		all = append(all, l)
	}
	return all
}

// show lets metrics look at the engine.
func (e *Engine) show(o *cli.Options) {
	seen := &seenCampaigns{names: e.Activities.Campaigns, known: map[string]seenCampaign{},
		ask: func(ctx context.Context, name string) (workflows.Status, error) {
			return campaigns.QueryStatus[workflows.Status](ctx, e.Client, workflows.CampaignID(name))
		}}
	namespace := campaigns.Namespace(o)
	e.metrics.Read(telemetry.Sources{
		Meter: e.Activities.Meter, Waits: e.Activities.Waits, Gates: e.Activities.Gates,
		Standings: e.Activities.Standings,
		Campaigns: seen.allStatuses, Version: cli.ShortVersion(),
		Backlog: func(ctx context.Context) []telemetry.Backlog {
			return readBacklog(ctx, e.Client, namespace, e.Queue, e.queues.modelNames())
		},
	})
}

// modelNames returns the models that have a queue.
func (q *queues) modelNames() (names []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for name := range q.workers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// readBacklog asks the server what waits in the queues of campaigns.
func readBacklog(ctx context.Context, c client.Client, namespace, queue string, models []string) []telemetry.Backlog {
	all := []telemetry.Backlog{{Queue: queue, Kind: "workflow"}, {Queue: queue, Kind: "activity"}}
	for _, model := range models {
		all = append(all, telemetry.Backlog{Queue: task.ModelQueue(queue, model), Kind: "activity"})
	}
	known := make([]bool, len(all))
	var asking sync.WaitGroup
	for i := range all {
		asking.Go(func() {
			kind := enumspb.TASK_QUEUE_TYPE_ACTIVITY
			if all[i].Kind == "workflow" {
				kind = enumspb.TASK_QUEUE_TYPE_WORKFLOW
			}
			answer, err := c.WorkflowService().DescribeTaskQueue(ctx, &workflowservice.DescribeTaskQueueRequest{
				Namespace: namespace, TaskQueue: &taskqueuepb.TaskQueue{Name: all[i].Queue}, TaskQueueType: kind,
				ReportStats: true,
			})
			if known[i] = err == nil; known[i] {
				all[i].Tasks = answer.GetStats().GetApproximateBacklogCount()
			}
		})
	}
	asking.Wait()
	var answered []telemetry.Backlog
	for i, b := range all {
		if known[i] {
			answered = append(answered, b)
		}
	}
	return answered
}

// How old a campaign's status may be that is shown; that of one which has ended changes rarely.
const (
	statusAge = 5 * time.Second
	endedAge  = time.Minute
)

// askedAtOnce bounds the campaigns whose workflows one scrape asks at the same time.
const askedAtOnce = 16

// seenCampaigns remembers how far campaigns were when their workflows last said so.
type seenCampaigns struct {
	names func() []string
	ask   func(ctx context.Context, name string) (workflows.Status, error)

	mu    sync.Mutex
	known map[string]seenCampaign
}

type seenCampaign struct {
	status workflows.Status
	at     time.Time // of the last question
	is     bool      // it was answered
}

// isDue reports whether the workflow is to be asked again.
func (c seenCampaign) isDue() bool {
	age := statusAge
	if c.is && c.status.Cells > 0 && c.status.Done() == c.status.Cells {
		age = endedAge
	}
	return time.Since(c.at) > age
}

// allStatuses returns the campaigns that this process works for, without those that do not answer
// before ctx ends: an old status would be taken for the present one.
func (s *seenCampaigns) allStatuses(ctx context.Context) map[string]workflows.Status {
	s.mu.Lock() // one scrape after the other: a busy worker is not asked twice
	defer s.mu.Unlock()
	names := s.names()
	seen := make([]seenCampaign, len(names))
	permits := make(chan struct{}, askedAtOnce)
	var asking sync.WaitGroup
	for i, name := range names {
		if seen[i] = s.known[name]; !seen[i].isDue() {
			continue
		}
		asking.Go(func() {
			permits <- struct{}{}
			defer func() { <-permits }()
			if seen[i].is = false; ctx.Err() != nil { // the next scrape asks
				return
			}
			seen[i].at = time.Now()
			if status, err := s.ask(ctx, name); err == nil {
				seen[i].status, seen[i].is = status, true
			}
		})
	}
	asking.Wait()
	all := map[string]workflows.Status{}
	for i, name := range names {
		if s.known[name] = seen[i]; seen[i].is {
			all[name] = seen[i].status
		}
	}
	return all
}
