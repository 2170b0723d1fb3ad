package engine

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"roundtable/activities"
	"roundtable/activities/hosting"
	"roundtable/analysis/lake"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/task"
)

// queues are the workers of models that have a limit of calls a minute: a task
// queue each, whose tasks the server gives out at that rate to all processes.
type queues struct {
	store      store.Store
	client     client.Client
	activities *activities.Activities
	campaigns  string // the queue that those of models go with
	settings   func() worker.Options

	mu      sync.Mutex
	ended   bool
	workers map[string]limited // by model
}

type limited struct {
	worker.Worker
	perMinute int
}

// followEvery is how often campaigns are looked through for models with other limits.
const followEvery = 10 * time.Second

func (q *queues) follow(ctx context.Context) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = q.look(ctx) // a store that cannot be read now can be later
		}
	}
}

// look works on the queues of all campaigns in the lake.
func (q *queues) look(ctx context.Context) error {
	names, err := lake.Folders(ctx, q.store, lake.About)
	if err != nil {
		return err
	}
	limits, ended := map[string]int{}, map[string]int{} // the tightest of all campaigns, by model
	for _, name := range names {
		m, err := campaign.ReadManifest(ctx, q.store, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		of := limits
		if success, _ := lake.ReadSuccess(ctx, q.store, name); success.Revision == m.Revision {
			of = ended
		}
		for model, l := range m.Limits.Models {
			if n := l.RequestsPerMinute; n > 0 && (of[model] == 0 || n < of[model]) {
				of[model] = n
			}
		}
	}
	for model, perMinute := range ended { // a campaign that has ended slows no other down, but may be run again
		if _, ok := limits[model]; !ok {
			limits[model] = perMinute
		}
	}
	for model, perMinute := range limits {
		if err := q.open(model, perMinute); err != nil {
			return err
		}
	}
	return nil
}

// open works on the queue of a model at a rate.
func (q *queues) open(model string, perMinute int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	old, ok := q.workers[model]
	if q.ended || ok && old.perMinute == perMinute {
		return nil
	}
	options := q.settings()
	options.TaskQueueActivitiesPerSecond = float64(perMinute) / 60
	options.DisableWorkflowWorker = true
	w := worker.New(q.client, task.ModelQueue(q.campaigns, model), options)
	hosting.RegisterTurns(w, q.activities)
	if err := w.Start(); err != nil {
		return err
	}
	if ok {
		go old.Stop() // its calls under way come in
	}
	if q.workers == nil {
		q.workers = map[string]limited{}
	}
	q.workers[model] = limited{w, perMinute}
	return nil
}

func (q *queues) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	var all sync.WaitGroup
	for _, w := range q.workers {
		all.Go(w.Stop)
	}
	all.Wait()
}
