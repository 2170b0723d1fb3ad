package campaign

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"roundtable/analysis/lake"
	"roundtable/analysis/lake/store"
	"roundtable/workflows/plan"
	"roundtable/workflows/until"
)

// Manifest names a campaign's current revision and says how the campaign is run. Limits, labels (of
// messages and of the grid), prices, notices, card and the question are not part of its identity:
// they may change while it runs.
type Manifest struct {
	Campaign string      `json:"campaign"`
	Run      string      `json:"run,omitempty"` // drawn once for a campaign in a lake: no other run has it
	Revision string      `json:"revision"`
	Limits   plan.Limits `json:"limits"`
	// who labels messages at the end; nil if nobody
	Labels *Labelling `json:"labels,omitempty"`
	// where its end, pauses and budget are reported; nil if nowhere
	Notify   *plan.Notify     `json:"notify,omitempty"`
	Card     *plan.Card       `json:"card,omitempty"`     // what its owner says of its data set; nil if nothing
	Until    *until.Question  `json:"until,omitempty"`    // what ends it; nil if every cell is run
	Embedder string           `json:"embedder,omitempty"` // of information distances; "" for the default
	Prices   map[string]Price `json:"prices,omitempty"`   // by provider/model; one that is missing is not known
	// AxisLabels are what the file calls the values of its grid, by condition and axis.
	AxisLabels map[string]map[string]string `json:"axis_labels,omitempty"`
	Imported   *Imported                    `json:"imported,omitempty"` // what was imported, in place of a plan
}

// Imported says what a campaign imported from another program's transcripts was made from.
type Imported struct {
	Files       map[string]string `json:"files"` // SHA-256 by name
	Transcripts int               `json:"transcripts"`
	Speakers    []string          `json:"speakers"` // roles whose messages are agents'
}

// ImportedRevision is the revision of imported campaigns, which have no plan.
const ImportedRevision = "imported"

// ErrImported is the error of reading the plan of an imported campaign, which has none.
var ErrImported error = importedError{}

type importedError struct{}

func (importedError) Error() string { return "it was imported and has no plan" }
func (importedError) Unwrap() error { return fs.ErrNotExist }

// Label returns the file's labels of a condition's values on the axes, joined by commas; "" if
// there are none.
func (m Manifest) Label(condition string) string {
	var labels []string
	for _, axis := range slices.Sorted(maps.Keys(m.AxisLabels[condition])) {
		labels = append(labels, m.AxisLabels[condition][axis])
	}
	return strings.Join(labels, ", ")
}

// ManifestKey returns the key of a campaign's manifest.
func ManifestKey(campaign string) string { return lake.AboutKey(campaign, "manifest.json") }

// ReadManifest reads a campaign's manifest.
func ReadManifest(ctx context.Context, s store.Store, campaign string) (Manifest, error) {
	var m Manifest
	data, err := s.Get(ctx, ManifestKey(campaign))
	if err != nil {
		return m, err
	}
	err = lake.Unseal(ManifestKey(campaign), data, &m) // it holds the caps: a changed one is refused
	if err == nil && m.Campaign != campaign {
		err = fmt.Errorf("%s: %w: it is the manifest of campaign %q", ManifestKey(campaign),
			store.ErrCorrupt, m.Campaign)
	}
	return m, err
}

// WriteManifest replaces a campaign's manifest. It sets Run to that of the earlier manifest, or
// else draws one.
func WriteManifest(ctx context.Context, s store.Store, m Manifest) error {
	if m.Run == "" {
		before, err := ReadManifest(ctx, s, m.Campaign)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, store.ErrCorrupt) {
			return err
		}
		m.Run = cmp.Or(before.Run, strings.ToLower(rand.Text()))
	}
	data, err := lake.Seal(ManifestKey(m.Campaign), m)
	if err != nil {
		return err
	}
	return s.Replace(ctx, ManifestKey(m.Campaign), data, "")
}

// ReadRecorded returns the recorded plan of a campaign, and the manifest of its
// latest run; fs.ErrNotExist if there is none.
func ReadRecorded(ctx context.Context, s store.Store, campaign string) (Plan, Manifest, error) {
	m, err := ReadManifest(ctx, s, campaign)
	if err != nil {
		return Plan{}, m, err
	}
	p, err := ReadPlan(ctx, s, campaign, m.Revision)
	return p, m, err
}
