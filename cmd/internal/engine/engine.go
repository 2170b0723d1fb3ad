// Package engine starts and watches what runs campaigns: an embedded Temporal server or a connection to a
// cluster, its worker, and the queues of models with limits. Only one program at a time runs a campaign on a
// local lake, and an engine that answers late is waited for. The package prints only what it waits for.
package engine

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"roundtable/activities"
	"roundtable/activities/calls"
	"roundtable/activities/hosting"
	"roundtable/activities/money"
	"roundtable/activities/setup"
	"roundtable/analysis/lake/store"
	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/providers"
	"roundtable/cmd/internal/telemetry"
	"roundtable/infra"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// Engine is what runs campaigns: a Temporal server, ours or another's, and a worker.
type Engine struct {
	stopServer func() error // nil if the server is another's
	Client     client.Client
	worker     worker.Worker
	Activities *activities.Activities
	Models     providers.Models // that its activities ask: they remember what services refuse
	queues     *queues
	lock       io.Closer
	metrics    *telemetry.Metrics      // nil if nobody reads them
	traces     *telemetry.Traces       // nil if nobody is sent them
	log        *slog.Logger            // of what happens; see openTelemetry
	notices    io.Writer               // for the operator: standard error, or the log
	Queue      string                  // of the lake's workflows and activities
	name       string                  // of this process, drawn at random
	identity   string                  // of this process's workers at the server, unlike that of any other
	shared     *campaigns.SharedServer // nil if the server is this program's own
	folder     string                  // of the embedded server's state
	// the file that tells other commands how the workflow is; embedded only
	progress string
	latest   atomic.Pointer[campaigns.Progress] // without what turns wait for
	lake     *store.Watched
	endGC    func() // ends the collector's settings
}

// isEmbedded reports whether the server is this program's own and ends with it.
func (e *Engine) isEmbedded() bool { return e.stopServer != nil }

// Heartbeat returns how long an activity may be silent before it counts as dead. With an embedded server this
// only detects lost results: its activities die with it, and the next start ends them itself.
func (e *Engine) Heartbeat() time.Duration {
	if e.isEmbedded() {
		return 10 * time.Minute
	}
	return workflows.DefaultHeartbeat
}

// Job says what an engine is started for. The state folder of an embedded server belongs to one job; another
// job that was interrupted resumes when its own command is given.
type Job struct {
	Folder  string // of the embedded server, in the state folder
	Fresh   bool   // the lake has nothing of it, so state that is there belongs to a lake that was deleted
	NoCache bool   // use no answers of other campaigns or cells
}

// Start starts an engine for the job w, without its worker: call TakeWork to start that, Stop to end the
// engine.
func Start(ctx context.Context, o *cli.Options, s store.Store, w Job) (_ *Engine, err error) {
	o.Working()
	host, _ := os.Hostname() // without a name the number stands alone
	name := rand.Text()
	e := &Engine{Queue: task.Queue, name: name, identity: fmt.Sprintf("%d@%s@%s", os.Getpid(), host, name)}
	defer func() {
		if err != nil {
			e.Stop()
		}
	}()
	if s, err = e.openTelemetry(o, s); err != nil {
		return nil, err
	}
	if e.Client, err = campaigns.DialOutside(ctx, o, e.metrics.Temporal()); err != nil {
		return nil, err
	}
	if e.Client == nil {
		if err := e.embed(ctx, o, filepath.Join(o.State, w.Folder), w.Fresh); err != nil {
			return nil, err
		}
	} else if err := e.share(ctx, o, s); err != nil {
		return nil, err
	}
	e.lake = store.Watch(s)
	if most := calls.MostCalls(); most < calls.DefaultCalls {
		fmt.Fprintf(e.notices, "roundtable: at most %d calls at once: a process may hold only %d files open here "+
			"(ulimit -n)\n", most, store.OpenFiles())
	}
	infra.NameBuild()
	e.endGC = infra.TuneGC(320 << 20)
	infra.TuneProcessors()
	infra.KeepWorkflows(6000)
	_, local := o.LocalLake()
	e.Models = providers.New(s)
	e.Activities = activities.New(activities.Config{
		Store: e.lake, Plugins: o.Plugins, Models: e.Models.Build, Data: setup.OpenFolder, NoCache: w.NoCache,
		Alone:     e.stopServer != nil && local,
		Listeners: e.callListeners(o), Noticed: e.sayNoticed, LakeName: o.LakeName(),
	})
	e.queues = &queues{store: s, client: e.Client, activities: e.Activities, campaigns: e.Queue,
		settings: e.workerOptions}
	e.worker = worker.New(e.Client, e.Queue, e.workerOptions())
	e.worker.RegisterWorkflowWithOptions(workflows.Campaign, workflow.RegisterOptions{Name: task.CampaignWorkflow})
	e.worker.RegisterWorkflowWithOptions(workflows.Collaboration(o.Plugins),
		workflow.RegisterOptions{Name: task.CollaborationWorkflow})
	hosting.Register(e.worker, e.Activities, e.Client)
	e.log.Info("connected", "embedded", e.isEmbedded(), "namespace", campaigns.Namespace(o), "task_queue", e.Queue)
	e.show(o)
	return e, nil
}

// workerOptions returns the settings of each worker of this process.
func (e *Engine) workerOptions() worker.Options {
	options := infra.WorkerOptions()
	options.Identity = e.identity
	if e.isEmbedded() {
		infra.WaitForOwnServer(&options)
	} else {
		options.Interceptors = []interceptor.WorkerInterceptor{&signPauses{name: e.name}}
	}
	return options
}

// TakeWork starts the workers: the engine's, and one per queue of a model with limits.
func (e *Engine) TakeWork(ctx context.Context) error {
	if err := e.CheckReadable(ctx); err != nil {
		return cli.UsageError(err)
	}
	if err := e.queues.look(ctx); err != nil {
		return err
	}
	go e.queues.follow(ctx)
	if e.isEmbedded() {
		go e.writeProgress(ctx)
		go e.retryLost(ctx)
	}
	if err := e.worker.Start(); err != nil {
		return campaigns.NameLate("start of the worker", err)
	}
	e.metrics.SetWorking(true)
	e.log.Info("taking work", "worker", e.name)
	if e.isEmbedded() {
		return nil
	}
	go e.watchServer(ctx, e.notices)
	go e.checkClock(ctx, e.notices)
	return nil
}

// LockCampaign keeps other programs from running the campaign on the same lake, where two embedded servers
// would pay for its answers twice. The returned context ends when another program has taken the campaign over.
func (e *Engine) LockCampaign(ctx context.Context, o *cli.Options, campaign string) (context.Context, error) {
	if e.stopServer == nil {
		return ctx, nil // one server for all: they attach
	}
	place, err := placeOf(e.folder)
	if err != nil {
		return ctx, err
	}
	ctx, e.lock, err = o.LockCampaign(ctx, e.lake, campaign, place)
	return ctx, err
}

// placeOf returns the name of a state folder, in which one process at a time runs a server.
func placeOf(folder string) (string, error) {
	path := filepath.Join(folder, "place")
	name, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(name) == 0 {
		name = []byte(rand.Text())
		err = os.WriteFile(path, name, 0o600)
	}
	return string(name), err
}

// serverPatience is how long our own server, which has started, may take to answer on a machine far behind.
const serverPatience = 5 * time.Minute

// embed starts our own server on a folder, where other commands find it.
func (e *Engine) embed(ctx context.Context, o *cli.Options, dir string, fresh bool) (err error) {
	if e.stopServer, err = o.StartServer(ctx, dir, fresh); err != nil {
		return err
	}
	target, err := infra.TargetIn(dir)
	if err != nil {
		return err
	}
	target.InProcess, target.Patience = true, serverPatience
	target.Logger, target.Metrics = campaigns.OpenWorkerLog(o), e.metrics.Temporal()
	if e.Client, err = infra.Dial(ctx, target); err != nil {
		return err
	}
	e.folder, e.progress = dir, filepath.Join(dir, campaigns.ProgressFile)
	return nil
}

// Stop waits for the answers of calls under way, stores them and ends the engine.
func (e *Engine) Stop() {
	defer e.drain()()
	if e.worker != nil {
		e.queues.stop()
		e.worker.Stop() // also one that never started
		if err := e.Activities.Close(context.Background()); err != nil {
			fmt.Fprintln(e.notices, "roundtable:", err)
		}
	}
	if e.Client != nil {
		e.Client.Close()
	}
	if e.lock != nil {
		e.lock.Close()
	}
	if e.progress != "" {
		os.Remove(e.progress)
	}
	if e.stopServer != nil {
		if err := e.stopServer(); err != nil {
			fmt.Fprintln(e.notices, "roundtable: the embedded server did not stop cleanly:", err)
		}
	}
	if e.endGC != nil {
		e.endGC()
	}
}

// signPauses adds to the reason of a pause which worker it comes from: of several only one may
// lack a key or a data set. Reasons are in the lake, so it is a random name, which the worker's
// log and its identity at the server have too.
type signPauses struct {
	interceptor.WorkerInterceptorBase
	name string
}

func (s *signPauses) InterceptActivity(_ context.Context,
	next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &signedPauses{interceptor.ActivityInboundInterceptorBase{Next: next}, s.name}
}

type signedPauses struct {
	interceptor.ActivityInboundInterceptorBase
	name string
}

func (s *signedPauses) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	out, err := s.Next.ExecuteActivity(ctx, in)
	app, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok || app.Type() != task.ErrPause || money.IsSpent(app.Message()) { // a used up budget is the campaign's
		return out, err
	}
	return out, temporal.NewApplicationErrorWithOptions(fmt.Sprintf("%s (worker %s)", app.Message(), s.name),
		task.ErrPause,
		temporal.ApplicationErrorOptions{NonRetryable: true, Category: app.Category()})
}

// progressRoom is what the file takes from the start and is written over in place, so
// that it can still be written on a disk that is full.
const progressRoom = 8192

// keepStatus keeps what the workflow has last answered.
func (e *Engine) keepStatus(status any) {
	data, err := json.Marshal(status)
	if err == nil {
		e.latest.Store(&campaigns.Progress{Status: data, At: time.Now().Round(0)})
	}
}

// writeProgress keeps the file up to date.
func (e *Engine) writeProgress(ctx context.Context) {
	file, err := os.OpenFile(e.progress, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return // status does without it
	}
	defer file.Close()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for written := ""; ; {
		var now campaigns.Progress
		if latest := e.latest.Load(); latest != nil {
			now = *latest
		}
		now.Waits = e.Activities.Waits()
		text, err := json.Marshal(now)
		text = append(text, bytes.Repeat([]byte(" "), max(progressRoom, len(written), len(text))-len(text))...)
		if err == nil && string(text) != written {
			if _, err = file.WriteAt(text, 0); err == nil {
				written = string(text)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Execute starts a workflow and does not wait for its end. It sets o's task queue and task timeout; the
// policies in o say what happens if the workflow is already running. what names it in messages.
func (e *Engine) Execute(ctx context.Context, what, workflow string, o client.StartWorkflowOptions,
	in any) (run client.WorkflowRun, err error) {
	o.TaskQueue, o.WorkflowTaskTimeout = e.Queue, workflows.TaskTimeout
	err = campaigns.RetryWhileLate(ctx, e.notices, "start of the "+what, func() (err error) {
		run, err = e.Client.ExecuteWorkflow(ctx, o, workflow, in)
		return err
	})
	return run, err
}

// queryPatience is what a worker may take to say how its workflow is before the line of
// progress shows what it last said.
const queryPatience = 2 * time.Second

// Watch waits for a workflow and returns its result. At every interval it calls show with the workflow's
// status; if show returns true, Watch returns that status as result. what names the workflow in messages.
func Watch[S any](ctx context.Context, e *Engine, run client.WorkflowRun, what string, every time.Duration,
	show func(S) (stop bool)) (result S, err error) {
	ended := make(chan error, 1)
	go func() {
		ended <- campaigns.RetryWhileLate(ctx, e.notices, "end of the "+what,
			func() error { return run.Get(ctx, &result) })
	}()
	tick := time.NewTicker(every)
	defer tick.Stop()
	var status S
	for {
		select {
		case err := <-ended:
			return result, err
		case <-tick.C:
			soon, cancel := context.WithTimeout(ctx, queryPatience)
			now, err := campaigns.QueryStatus[S](soon, e.Client, run.GetID())
			if cancel(); err == nil { // a busy worker is asked again at the next tick
				status = now
				e.keepStatus(status)
			}
			if show(status) {
				return status, nil
			}
		}
	}
}

// Visibility returns what workflows show to Temporal's tools: search attributes only if the namespace has
// roundtable's.
func (e *Engine) Visibility(ctx context.Context, o *cli.Options) workflows.Visibility {
	return workflows.Visibility{Searchable: infra.HasSearchAttributes(ctx, e.Client, campaigns.Namespace(o),
		workflows.SearchAttributes())}
}
