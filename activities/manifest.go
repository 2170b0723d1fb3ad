package activities

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"roundtable/activities/failure"
	"roundtable/activities/money"
	"roundtable/analysis/lake"
	"roundtable/analysis/storage"
	"roundtable/workflows/plan"
	"roundtable/workflows/task"
)

// Manifest names the present revision of a campaign and says how it is run.
// Limits, labels (of messages and of the grid) and prices are no part of its identity: they may change while it runs.
type Manifest struct {
	Campaign string                 `json:"campaign"`
	Revision string                 `json:"revision"`
	Limits   plan.Limits            `json:"limits"`
	Labels   *Labelling             `json:"labels,omitempty"`   // by whom messages are labelled at the end; nil if they are not
	Embedder string                 `json:"embedder,omitempty"` // what information distances rest on; "" for the default
	Prices   map[string]money.Price `json:"prices,omitempty"`   // by provider/model; one that is missing is not known
	// AxisLabels are what the file calls the values of its grid, by condition and axis.
	AxisLabels map[string]map[string]string `json:"axis_labels,omitempty"`
}

// queue is that of the calls of a model with a limit a minute, which all
// workers share; "" if the model has none.
func (m Manifest) queue(model string) string {
	if m.Limits.Models[model].RequestsPerMinute <= 0 {
		return ""
	}
	return task.ModelQueue(model)
}

// ManifestKey is where a campaign's manifest is.
func ManifestKey(campaign string) string { return lake.AboutKey(campaign, "manifest.json") }

// ReadManifest reads a campaign's manifest.
func ReadManifest(ctx context.Context, s storage.Store, campaign string) (Manifest, error) {
	var m Manifest
	data, err := s.Get(ctx, ManifestKey(campaign))
	if err != nil {
		return m, err
	}
	return m, lake.Unseal(ManifestKey(campaign), data, &m) // it holds the caps: a changed one is refused
}

// WriteManifest replaces a campaign's manifest.
func WriteManifest(ctx context.Context, s storage.Store, m Manifest) error {
	data, err := lake.Seal(m)
	if err != nil {
		return err
	}
	return s.Replace(ctx, ManifestKey(m.Campaign), data, "")
}

// manifestAge is how old the copy of a manifest that a worker goes by may be.
const manifestAge = 2 * time.Second

// running is what a worker keeps of a campaign's present manifest.
type running struct {
	Manifest
	read time.Time
}

// manifest is the present one, at most manifestAge old unless fresh is wanted.
// Without one nobody knows the limits: the campaign pauses, and what is under
// way keeps those that were known last.
func (a *Activities) manifest(ctx context.Context, campaign string, fresh bool) (Manifest, error) {
	a.mu.Lock()
	known, ok := a.manifests[campaign]
	a.mu.Unlock()
	if ok && !fresh && time.Since(known.read) < manifestAge {
		return known.Manifest, nil
	}
	m, err := ReadManifest(ctx, a.config.Store, campaign)
	if errors.Is(err, fs.ErrNotExist) {
		err = failure.Pause(fmt.Errorf("the object %s with the limits of campaign %s is missing; `roundtable run FILE` writes it again", ManifestKey(campaign), campaign))
	}
	if err != nil {
		return m, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.manifests[campaign] = running{m, time.Now()}
	if c := a.plans[m.Revision]; c != nil {
		a.ceilings(m, c)
	}
	if account := a.accounts[campaign]; account != nil && !sameBudget(known.Limits, m.Limits) {
		account.SetCaps(money.NewCaps(m.Limits.CostUSD, m.Limits.Tokens))
	}
	return m, nil
}

func sameBudget(a, b plan.Limits) bool {
	return a.Tokens == b.Tokens && (a.CostUSD == nil) == (b.CostUSD == nil) && (a.CostUSD == nil || *a.CostUSD == *b.CostUSD)
}
