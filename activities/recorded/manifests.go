package recorded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"roundtable/activities/failure"
	"roundtable/analysis/storage"
)

// ManifestAge is how old the copy of a manifest that a worker uses may be.
const ManifestAge = time.Second

// Manifests keeps copies of the manifests of campaigns under way, and of why their
// calls are held back (Halt). Nothing else is locked while its mutex is held.
type Manifests struct {
	store   storage.Store
	age     time.Duration
	reading singleflight.Group // by campaign: many rounds ask at once

	mu    sync.Mutex
	known map[string]manifestCopy // by campaign
}

type manifestCopy struct {
	Manifest
	held string // why calls are held back; "" if they are not
	read time.Time
}

// NewManifests returns Manifests of a store whose copies are at most age old.
func NewManifests(store storage.Store, age time.Duration) *Manifests {
	return &Manifests{store: store, age: age, known: map[string]manifestCopy{}}
}

// Read returns a campaign's manifest and whether it was read again: a copy is
// enough unless it is too old or fresh is set. Without a manifest nobody knows the
// limits: the campaign pauses, and calls under way keep those that were known last.
func (l *Manifests) Read(ctx context.Context, campaign string, fresh bool) (m Manifest, isNew bool, err error) {
	l.mu.Lock()
	known, ok := l.known[campaign]
	l.mu.Unlock()
	if ok && !fresh && time.Since(known.read) < l.age {
		return known.Manifest, false, nil
	}
	if fresh { // what was begun before is not
		latest, err := l.readAgain(ctx, campaign)
		return latest.Manifest, err == nil, err
	}
	latest, err, _ := l.reading.Do(campaign, func() (any, error) { return l.readAgain(context.WithoutCancel(ctx), campaign) })
	if err != nil {
		return m, false, err
	}
	return latest.(manifestCopy).Manifest, true, nil
}

// readAgain reads what is in the store.
func (l *Manifests) readAgain(ctx context.Context, campaign string) (latest manifestCopy, err error) {
	latest.Manifest, err = ReadManifest(ctx, l.store, campaign)
	if errors.Is(err, fs.ErrNotExist) {
		err = failure.Pause(fmt.Errorf("the object %s with the limits of campaign %s is missing; `roundtable run FILE` writes it again", ManifestKey(campaign), campaign))
	}
	if err != nil {
		return latest, err
	}
	halt, err := ReadHalt(ctx, l.store, campaign)
	if err != nil {
		return latest, err
	}
	if halt != nil {
		latest.held = halt.Reason
	}
	latest.read = time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known[campaign] = latest
	return latest, nil
}

// Held returns why the calls of a campaign are held back, as of the last Read; "" if they
// are not.
func (l *Manifests) Held(campaign string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[campaign].held
}

// Known returns the copy of a campaign's manifest, however old; false if there is none.
func (l *Manifests) Known(campaign string) (Manifest, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, ok := l.known[campaign]
	return known.Manifest, ok
}

// All returns the copies of all campaigns, in no order.
func (l *Manifests) All() []Manifest {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]Manifest, 0, len(l.known))
	for _, known := range l.known {
		all = append(all, known.Manifest)
	}
	return all
}

// Expire makes the next Read of every campaign read its manifest again.
func (l *Manifests) Expire() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for campaign, known := range l.known {
		known.read = known.read.Add(-l.age)
		l.known[campaign] = known
	}
}
