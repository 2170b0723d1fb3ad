package lake

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"roundtable/analysis/storage"
)

// OutcomesEach is how many markers one Outcomes sums up.
const OutcomesEach = 2000

// Outcomes is how a number of runs ended and what they have spent, in one object: the
// progress of a large campaign is read from a few of these in the place of a marker
// for each collaboration. The markers have the last word, and are read where an
// object is missing or damaged.
type Outcomes struct {
	Campaign string    `json:"campaign"`
	Number   int       `json:"number"` // from 1
	Runs     []outcome `json:"runs"`
}

// outcome is what a marker says, without its files.
type outcome struct {
	Run
	Condition    string   `json:"condition"`
	Status       string   `json:"status"`
	Reason       string   `json:"reason,omitempty"`
	Calls        int64    `json:"calls,omitempty"`
	Cached       int64    `json:"cached,omitempty"`
	InputTokens  int64    `json:"input_tokens,omitempty"`
	OutputTokens int64    `json:"output_tokens,omitempty"`
	CostUSD      *float64 `json:"cost_usd,omitempty"`
	WorstUSD     *float64 `json:"worst_usd,omitempty"`
	Charged      Charge   `json:"charged"`
}

func outcomeOf(m Marker) outcome {
	return outcome{m.Run(), m.Condition, m.Status, m.Reason, m.Calls, m.Cached, m.InputTokens, m.OutputTokens, m.CostUSD, m.WorstUSD, m.Charged}
}

func (o outcome) marker(campaign string) Marker {
	return Marker{
		Campaign: campaign, Condition: o.Condition, Collaboration: o.Collaboration, Generation: o.Generation, Status: o.Status, Reason: o.Reason, Calls: o.Calls,
		Cached: o.Cached, InputTokens: o.InputTokens, OutputTokens: o.OutputTokens, CostUSD: o.CostUSD, WorstUSD: o.WorstUSD, Charged: o.Charged,
	}
}

// NewOutcomes sums up markers.
func NewOutcomes(campaign string, number int, markers []Marker) Outcomes {
	o := Outcomes{Campaign: campaign, Number: number}
	for _, m := range markers {
		o.Runs = append(o.Runs, outcomeOf(m))
	}
	return o
}

func outcomesFolder(campaign string) string { return "lake/_outcomes/campaign=" + campaign + "/" }

// Key returns the object's name.
func (o Outcomes) Key() string {
	return fmt.Sprintf("%soutcomes-%06d.json", outcomesFolder(o.Campaign), o.Number)
}

// ReadOutcomes reads an Outcomes by its key.
func ReadOutcomes(ctx context.Context, store storage.Store, key string) (Outcomes, error) {
	return readSealed(ctx, store, key, func(o Outcomes) (string, error) { return o.Key(), nil })
}

// Unsummed returns the runs of a campaign that no Outcomes holds, by collaboration and
// generation, if they are enough for another one, whose number is next.
func Unsummed(ctx context.Context, store storage.Store, campaign string) (runs []Run, next int, err error) {
	objects, err := store.List(ctx, outcomesFolder(campaign))
	if err != nil {
		return nil, 0, err
	}
	ended, err := Ended(ctx, store, campaign)
	if err != nil || len(ended) < (len(objects)+1)*OutcomesEach { // those there are need not be read
		return nil, 0, err
	}
	held, err := readAllOutcomes(ctx, store, objects)
	if err != nil {
		return nil, 0, err
	}
	runs = slices.DeleteFunc(ended, func(run Run) bool { _, ok := held[run]; return ok })
	if n := len(objects); n > 0 {
		if _, err := fmt.Sscanf(objects[n-1].Key, outcomesFolder(campaign)+"outcomes-%d.json", &next); err != nil {
			return nil, 0, fmt.Errorf("%s: it is no name of outcomes: %w", objects[n-1].Key, err)
		}
	}
	return runs, next + 1, nil
}

// readAllOutcomes returns what the objects hold, by run. Damaged ones hold nothing.
func readAllOutcomes(ctx context.Context, store storage.Store, objects []storage.Object) (map[Run]outcome, error) {
	read := make([]Outcomes, len(objects))
	err := Each(ctx, len(objects), func(ctx context.Context, i int) (err error) {
		read[i], err = ReadOutcomes(ctx, store, objects[i].Key)
		if errors.Is(err, storage.ErrCorrupt) {
			return nil
		}
		return err
	})
	held := make(map[Run]outcome, len(objects)*OutcomesEach)
	for _, o := range read {
		for _, run := range o.Runs {
			held[run.Run] = run
		}
	}
	return held, err
}

// Progress returns what Commits returns without the digests and the files, and sooner:
// a marker that an Outcomes holds is not read. Markers that cannot be read are errors
// (joined, each with its key) next to the others.
func Progress(ctx context.Context, store storage.Store, campaign string) ([]Marker, error) {
	objects, err := store.List(ctx, outcomesFolder(campaign))
	if err != nil {
		return nil, err
	}
	held, err := readAllOutcomes(ctx, store, objects)
	if err != nil {
		return nil, err
	}
	ended, err := Ended(ctx, store, campaign)
	if err != nil {
		return nil, err
	}
	markers := make([]Marker, 0, len(ended))
	var unread []string
	for _, run := range ended {
		if o, ok := held[run]; ok {
			markers = append(markers, o.marker(campaign))
		} else {
			unread = append(unread, run.MarkerKey(campaign))
		}
	}
	read, err := readWhole(ctx, store, unread)
	markers = append(markers, read...)
	slices.SortFunc(markers, compareMarkers)
	return markers, err
}

// checkOutcomes compares what Outcomes hold with the markers, those that are whole.
func (r *Report) checkOutcomes(ctx context.Context, store storage.Store, markers []Marker) error {
	objects, err := store.List(ctx, outcomesFolder(r.Campaign))
	if err != nil || len(objects) == 0 {
		return err
	}
	said := make(map[Run]outcome, len(markers))
	for _, m := range markers {
		said[m.Run()] = outcomeOf(m)
	}
	for _, object := range objects {
		o, err := ReadOutcomes(ctx, store, object.Key)
		switch {
		case errors.Is(err, storage.ErrCorrupt):
			r.addFinding(object.Key, err)
		case err != nil:
			return err
		}
		for _, run := range o.Runs {
			if marker, ok := said[run.Run]; ok && !reflect.DeepEqual(marker, run) {
				r.addFinding(object.Key, fmt.Errorf("it has another outcome of collaboration %s than its marker", run.Run))
			}
		}
	}
	return nil
}
