package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"roundtable/activities"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/infra"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// engine is what runs campaigns: a Temporal server, ours or another's, and a worker.
type engine struct {
	server     *infra.Server // nil if it is another's
	client     client.Client
	worker     worker.Worker
	activities *activities.Activities
	queues     *queues
	lock       io.Closer
	address    string // the file that tells other commands where the server is
}

// work says what an engine is started for. An embedded server keeps the state
// of one work only: another one that was interrupted goes on when it is named,
// and not before.
type work struct {
	folder  string // of the embedded server, in the state folder
	fresh   bool   // the lake has nothing of it, so state that is there belongs to a lake that was deleted
	noCache bool
}

// campaignFolder returns where the engine of a campaign keeps its state.
func (o *options) campaignFolder(name string) string {
	return filepath.Join("campaigns", name+o.lakeSuffix())
}

// labelsFolder returns where the engine of a labelling keeps its state.
func (o *options) labelsFolder(campaign, labeller string) string {
	return filepath.Join("labels", campaign+o.lakeSuffix(), labeller)
}

// lakeSuffix tells apart campaigns of one name in several lakes; empty for the
// folder lake beside the state folder. Lake and state may move together.
func (o *options) lakeSuffix() string {
	dir, local := o.lakeFolder()
	if local {
		state, _ := filepath.Abs(o.state) // without a working directory nothing else works either
		folder, _ := filepath.Abs(dir)
		if rel, err := filepath.Rel(filepath.Dir(state), folder); err == nil {
			dir = filepath.ToSlash(rel)
		}
	}
	if dir == "lake" {
		return ""
	}
	return fmt.Sprintf("@%.4x", sha256.Sum256([]byte(dir)))
}

// start starts the engine but for its worker, which takes up work with
// worker.Start; Stop ends it.
func (o *options) start(ctx context.Context, s storage.Store, w work) (_ *engine, err error) {
	e := &engine{}
	defer func() {
		if err != nil {
			e.Stop()
		}
	}()
	if e.client, err = o.dialOutside(ctx); err != nil {
		return nil, err
	}
	if e.client == nil {
		if err := e.embed(ctx, o, filepath.Join(o.state, w.folder), w.fresh); err != nil {
			return nil, err
		}
	}
	infra.NameBuild()
	infra.TuneGC(560 << 20)
	infra.KeepWorkflows(6000)
	_, local := o.lakeFolder()
	e.activities = activities.New(activities.Config{
		Store: s, Models: newProviders(s).build, Data: openData, NoCache: w.noCache, Client: e.client, Alone: e.server != nil && local,
	})
	e.queues = &queues{store: s, client: e.client, activities: e.activities}
	e.worker = worker.New(e.client, task.Queue, infra.WorkerOptions())
	e.worker.RegisterWorkflowWithOptions(workflows.Campaign, workflow.RegisterOptions{Name: task.CampaignWorkflow})
	e.worker.RegisterWorkflowWithOptions(workflows.Collaboration, workflow.RegisterOptions{Name: task.CollaborationWorkflow})
	e.worker.RegisterWorkflowWithOptions(workflows.Labels, workflow.RegisterOptions{Name: task.LabelsWorkflow})
	e.activities.Register(e.worker)
	return e, nil
}

// work takes up work, of all queues.
func (e *engine) work(ctx context.Context) error {
	if err := e.queues.look(ctx); err != nil {
		return err
	}
	go e.queues.follow(ctx)
	return namingLate("start of the worker", e.worker.Start())
}

// hold keeps other programs from running the campaign on the same local lake:
// two servers of their own would buy its answers twice.
func (e *engine) hold(o *options, campaign string) (err error) {
	if e.server == nil {
		return nil // one server for all: they attach
	}
	e.lock, err = o.lockCampaign(campaign)
	return err
}

// lockCampaign takes a campaign of a local lake for this process. On S3 the lock
// is nil: there each takes grants of the budget.
func (o *options) lockCampaign(campaign string) (io.Closer, error) {
	dir, local := o.lakeFolder()
	if !local {
		return nil, nil
	}
	return infra.LockFile(filepath.Join(dir, filepath.FromSlash(lake.AboutKey(campaign, "lock"))))
}

// lakeFolder is where a local lake is.
func (o *options) lakeFolder() (dir string, local bool) {
	dir = strings.TrimPrefix(o.lake, "file://")
	return dir, !strings.Contains(dir, "://")
}

// embed starts our own server on a folder and tells other commands where it is.
func (e *engine) embed(ctx context.Context, o *options, dir string, fresh bool) (err error) {
	if e.server, err = infra.Start(ctx, infra.Config{Dir: dir, Fresh: fresh}); err != nil {
		return err
	}
	target := e.server.Target()
	target.Logger = o.log()
	if e.client, err = infra.Dial(ctx, target); err != nil {
		return err
	}
	e.address = filepath.Join(dir, "address")
	return os.WriteFile(e.address, []byte(e.server.HostPort()), 0o600)
}

// dialOutside connects to the server that flags or environment name; nil if they name none.
func (o *options) dialOutside(ctx context.Context) (client.Client, error) {
	target := infra.TargetFromEnv(o.temporal)
	if target.HostPort == "" {
		return nil, nil
	}
	if o.namespace != "" {
		target.Namespace = o.namespace
	}
	target.Insecure, target.Logger = o.insecure, o.log()
	return infra.Dial(ctx, target)
}

// log is where the SDK reports retries and the like: a file, not the terminal.
func (o *options) log() *slog.Logger {
	if err := os.MkdirAll(o.state, 0o700); err != nil {
		return slog.New(slog.DiscardHandler)
	}
	file, err := os.OpenFile(filepath.Join(o.state, "worker.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// errNotRunning says that no engine is there to talk to.
var errNotRunning = errors.New("it is not running here")

// connect finds the engine of a campaign in another process: the outside
// server, or the embedded one of its `roundtable run` in another terminal.
func (o *options) connect(ctx context.Context, campaign string) (client.Client, error) {
	c, err := o.dialOutside(ctx)
	if c != nil || err != nil {
		return c, err
	}
	address, err := os.ReadFile(filepath.Join(o.state, o.campaignFolder(campaign), "address"))
	if err != nil {
		return nil, errNotRunning
	}
	if _, err := infra.KeysFromEnv(); err != nil {
		return nil, err
	}
	target := infra.Target{HostPort: strings.TrimSpace(string(address)), Patience: time.Second, Logger: slog.New(slog.DiscardHandler)}
	if c, err = infra.Dial(ctx, target); err != nil {
		return nil, errNotRunning
	}
	return c, nil
}

// Stop lets answers under way come in and ends the engine.
func (e *engine) Stop() {
	if e.worker != nil {
		e.queues.stop()
		e.worker.Stop() // also one that never started
		if err := e.activities.Close(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, "roundtable:", err)
		}
	}
	if e.client != nil {
		e.client.Close()
	}
	if e.lock != nil {
		e.lock.Close()
	}
	if e.address != "" {
		os.Remove(e.address)
	}
	if e.server != nil {
		if err := e.server.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "roundtable: the embedded server did not stop cleanly:", err)
		}
	}
}
