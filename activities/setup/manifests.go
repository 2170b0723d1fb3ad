package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"roundtable/activities/failure"
	"roundtable/analysis/lake/campaign"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/task"
)

// ManifestAge is the greatest age of the copy of a manifest that a worker uses.
const ManifestAge = time.Second

// Manifests keeps copies of the manifests of campaigns under way, and of why their
// calls are held back (campaign.Halt). Nothing else is locked while its mutex is held.
type Manifests struct {
	store   store.Store
	age     time.Duration
	reading singleflight.Group // by campaign: many rounds ask at once

	mu    sync.Mutex
	known map[string]manifestCopy // by campaign
}

type manifestCopy struct {
	campaign.Manifest
	held string // why calls are held back; "" if they are not
	read time.Time
}

// NewManifests returns the Manifests of store; copies are at most age old.
func NewManifests(store store.Store, age time.Duration) *Manifests {
	return &Manifests{store: store, age: age, known: map[string]manifestCopy{}}
}

// Read returns a campaign's manifest: the copy, or if that is too old or fresh is set, the stored
// one; isNew reports which. If it cannot be read, the error pauses the campaign, and calls under
// way keep the limits known last.
func (l *Manifests) Read(ctx context.Context, name string, fresh bool) (m campaign.Manifest, isNew bool, err error) {
	l.mu.Lock()
	known, ok := l.known[name]
	l.mu.Unlock()
	if ok && !fresh && time.Since(known.read) < l.age {
		return known.Manifest, false, nil
	}
	if fresh { // what was begun before is not
		latest, err := l.readAgain(ctx, name)
		return latest.Manifest, err == nil, err
	}
	latest, err, _ := l.reading.Do(name, func() (any, error) { return l.readAgain(context.WithoutCancel(ctx), name) })
	if err != nil {
		return m, false, err
	}
	return latest.(manifestCopy).Manifest, true, nil
}

// readAgain reads what is in the store.
func (l *Manifests) readAgain(ctx context.Context, name string) (latest manifestCopy, err error) {
	latest.Manifest, err = campaign.ReadManifest(ctx, l.store, name)
	if errors.Is(err, fs.ErrNotExist) {
		err = failure.Pause(fmt.Errorf("the object %s with the limits of campaign %s is missing; `roundtable run "+
			"FILE` writes it again", campaign.ManifestKey(name), name))
	}
	if err != nil {
		return latest, err
	}
	halt, err := campaign.ReadHalt(ctx, l.store, name)
	if err != nil {
		return latest, err
	}
	if halt != nil && halt.Holds {
		latest.held = halt.Reason
	}
	latest.read = time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known[name] = latest
	return latest, nil
}

// HoldReason returns why a campaign's calls are held back, as of the last Read; "" if they are not.
func (l *Manifests) HoldReason(name string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[name].held
}

// LookUp returns the copy of a campaign's manifest, of any age; false if there is none.
func (l *Manifests) LookUp(name string) (campaign.Manifest, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.known[name]
	return known.Manifest, ok
}

// All returns the copies of all manifests, in no order.
func (l *Manifests) All() []campaign.Manifest {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]campaign.Manifest, 0, len(l.known))
	for _, known := range l.known {
		all = append(all, known.Manifest)
	}
	return all
}

// Expire makes the next Read of every campaign read its manifest again.
func (l *Manifests) Expire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, known := range l.known {
		known.read = known.read.Add(-l.age)
		l.known[name] = known
	}
}

// ModelQueue returns the task queue, which all workers share, for calls of a model with a limit of
// requests a minute; "" if it has no such limit. Its name is derived from the queue of ctx's
// activity.
func ModelQueue(ctx context.Context, m campaign.Manifest, model string) string {
	if m.Limits.Models[model].RequestsPerMinute <= 0 {
		return ""
	}
	queue := task.Queue
	if host, ok := failure.HostOf(ctx); ok {
		queue = host.TaskQueue
	}
	return task.ModelQueue(queue, model)
}
