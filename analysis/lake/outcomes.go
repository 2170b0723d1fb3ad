package lake

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"

	"roundtable/analysis/lake/store"
)

// OutcomesEach is the number of markers that one Outcomes sums up.
const OutcomesEach = 2000

// Outcome is how a run ended and what it has spent: what its marker says, without its files.
type Outcome struct {
	Run
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

// Outcome returns the marker's Outcome of its run.
func (m Marker) Outcome() Outcome {
	return Outcome{m.Run(), m.Status, m.Reason, m.Calls, m.Cached, m.InputTokens, m.OutputTokens, m.CostUSD,
		m.WorstUSD, m.Charged}
}

// Outcomes holds how OutcomesEach runs ended, in one object: the progress of a large campaign is
// read from a few of these instead of a marker a run. Where one is missing or damaged, the markers
// are read.
type Outcomes struct {
	Campaign string
	Number   int // from 1
	Runs     []Outcome
}

// columns is the form in which Outcomes are stored: a list for each field, since a reader
// takes a fraction of the time for it that a list of objects takes. A list of one value is
// that of all, as most statuses are.
type columns struct {
	Campaign       string     `json:"campaign"`
	Number         int        `json:"number"`
	Collaborations []string   `json:"collaborations,omitempty"`
	Generations    []int      `json:"generations,omitempty"`
	Statuses       []string   `json:"statuses,omitempty"`
	Reasons        []string   `json:"reasons,omitempty"`
	Calls          []int64    `json:"calls,omitempty"`
	Cached         []int64    `json:"cached,omitempty"`
	InputTokens    []int64    `json:"input_tokens,omitempty"`
	OutputTokens   []int64    `json:"output_tokens,omitempty"`
	CostUSD        []*float64 `json:"cost_usd,omitempty"`
	WorstUSD       []*float64 `json:"worst_usd,omitempty"`
	NanoUSD        []int64    `json:"nano_usd,omitempty"`
	Tokens         []int64    `json:"tokens,omitempty"`
}

// Seal returns the sealed bytes of the object.
func (o Outcomes) Seal() ([]byte, error) {
	c := columns{Campaign: o.Campaign, Number: o.Number}
	for _, r := range o.Runs {
		c.Collaborations, c.Generations = append(c.Collaborations, r.Collaboration), append(c.Generations, r.Generation)
		c.Statuses, c.Reasons = append(c.Statuses, r.Status), append(c.Reasons, r.Reason)
		c.Calls, c.Cached = append(c.Calls, r.Calls), append(c.Cached, r.Cached)
		c.InputTokens, c.OutputTokens = append(c.InputTokens, r.InputTokens), append(c.OutputTokens, r.OutputTokens)
		c.CostUSD, c.WorstUSD = append(c.CostUSD, r.CostUSD), append(c.WorstUSD, r.WorstUSD)
		c.NanoUSD, c.Tokens = append(c.NanoUSD, r.Charged.NanoUSD), append(c.Tokens, r.Charged.Tokens)
	}
	c.Generations, c.Statuses, c.Reasons = shortenEqual(c.Generations), shortenEqual(c.Statuses),
		shortenEqual(c.Reasons)
	c.Calls, c.Cached, c.InputTokens, c.OutputTokens = shortenEqual(c.Calls), shortenEqual(c.Cached),
		shortenEqual(c.InputTokens), shortenEqual(c.OutputTokens)
	c.CostUSD, c.WorstUSD, c.NanoUSD, c.Tokens = shortenEqual(c.CostUSD), shortenEqual(c.WorstUSD),
		shortenEqual(c.NanoUSD), shortenEqual(c.Tokens)
	return Seal(o.Key(), c)
}

// shortenEqual returns the first value alone if all are the same.
func shortenEqual[T any](list []T) []T {
	for _, v := range list {
		if !reflect.DeepEqual(v, list[0]) {
			return list
		}
	}
	return list[:min(len(list), 1)]
}

// valueAt returns the i-th value of a list that may have been shortened.
func valueAt[T any](list []T, i int) T {
	if len(list) == 1 {
		return list[0]
	}
	return list[i]
}

// check says whether the lists are of one length, or of one value.
func (c columns) check() error {
	for _, length := range []int{
		len(c.Generations), len(c.Statuses), len(c.Reasons), len(c.Calls), len(c.Cached), len(c.InputTokens),
		len(c.OutputTokens), len(c.CostUSD), len(c.WorstUSD), len(c.NanoUSD), len(c.Tokens),
	} {
		if length != len(c.Collaborations) && length != 1 {
			return fmt.Errorf("it has %d collaborations and a list of %d", len(c.Collaborations), length)
		}
	}
	return nil
}

func (c columns) listOutcomes() []Outcome {
	all := make([]Outcome, 0, len(c.Collaborations))
	for i := range c.Collaborations {
		all = append(all, Outcome{
			Run{c.Collaborations[i], valueAt(c.Generations, i)}, valueAt(c.Statuses, i), valueAt(c.Reasons, i),
			valueAt(c.Calls, i), valueAt(c.Cached, i),
			valueAt(c.InputTokens, i), valueAt(c.OutputTokens, i), valueAt(c.CostUSD, i), valueAt(c.WorstUSD, i),
			Charge{valueAt(c.NanoUSD, i), valueAt(c.Tokens, i)},
		})
	}
	return all
}

// OutcomesOf returns the Outcome of each marker, in their order.
func OutcomesOf(markers []Marker) []Outcome {
	all := make([]Outcome, len(markers))
	for i, m := range markers {
		all[i] = m.Outcome()
	}
	return all
}

func outcomesFolder(campaign string) string { return "lake/_outcomes/campaign=" + campaign + "/" }

// Key returns the object's key.
func (o Outcomes) Key() string {
	return fmt.Sprintf("%soutcomes-%06d.json", outcomesFolder(o.Campaign), o.Number)
}

// ReadOutcomes reads an Outcomes by its key.
func ReadOutcomes(ctx context.Context, store store.Store, key string) (Outcomes, error) {
	c, err := readSealed(ctx, store, key, func(c columns) (string, error) {
		return Outcomes{Campaign: c.Campaign, Number: c.Number}.Key(), c.check()
	})
	return Outcomes{c.Campaign, c.Number, c.listOutcomes()}, err
}

// Unsummed returns the runs of a campaign that no Outcomes holds yet, by collaboration and
// generation, if they fill another one, and its number, next; otherwise none.
func Unsummed(ctx context.Context, store store.Store, campaign string) (runs []Run, next int, err error) {
	objects, err := List(ctx, store, outcomesFolder(campaign))
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
			return nil, 0, fmt.Errorf("%s: it is not a name of outcomes: %w", objects[n-1].Key, err)
		}
	}
	return runs, next + 1, nil
}

// readAllOutcomes returns what the objects hold, by run. Damaged ones hold nothing.
func readAllOutcomes(ctx context.Context, s store.Store, objects []store.Object) (map[Run]*Outcome, error) {
	read := make([]Outcomes, len(objects))
	err := Each(ctx, len(objects), func(ctx context.Context, i int) (err error) {
		read[i], err = ReadOutcomes(ctx, s, objects[i].Key)
		if errors.Is(err, store.ErrCorrupt) {
			return nil
		}
		return err
	})
	held := make(map[Run]*Outcome, len(objects)*OutcomesEach)
	for _, o := range read {
		for i := range o.Runs {
			held[o.Runs[i].Run] = &o.Runs[i]
		}
	}
	return held, err
}

// Progress returns the outcome of each run that has a marker, by collaboration and generation. A
// marker that an Outcomes holds is not read. Markers that cannot be read are left out and are
// errors (joined, each with its key).
func Progress(ctx context.Context, store store.Store, campaign string) ([]Outcome, error) {
	ended, err := Ended(ctx, store, campaign)
	if err != nil {
		return nil, err
	}
	return ProgressOf(ctx, store, campaign, ended)
}

// ProgressOf is Progress of the runs that Ended returned, which are not listed again.
func ProgressOf(ctx context.Context, store store.Store, campaign string, ended []Run) ([]Outcome, error) {
	objects, err := List(ctx, store, outcomesFolder(campaign))
	if err != nil {
		return nil, err
	}
	held, err := readAllOutcomes(ctx, store, objects)
	if err != nil {
		return nil, err
	}
	all := make([]Outcome, 0, len(ended))
	var unread []string
	for _, run := range ended {
		if o, ok := held[run]; ok {
			all = append(all, *o)
		} else {
			unread = append(unread, run.MarkerKey(campaign))
		}
	}
	if len(unread) == 0 {
		return all, nil
	}
	markers, err := readWhole(ctx, store, unread)
	all = append(all, OutcomesOf(markers)...)
	slices.SortFunc(all, func(a, b Outcome) int { return compareRuns(a.Run, b.Run) })
	return all, err
}

// LatestProgress is Progress for the latest generation of each collaboration only.
func LatestProgress(ctx context.Context, store store.Store, campaign string) ([]Outcome, error) {
	all, err := Progress(ctx, store, campaign)
	return LatestOutcomes(all), err
}

// LatestOutcomes returns, of what Progress returned, the latest generation of each collaboration.
func LatestOutcomes(all []Outcome) []Outcome {
	latest := make([]Outcome, 0, len(all))
	for i, o := range all {
		if i+1 == len(all) || all[i+1].Collaboration != o.Collaboration {
			latest = append(latest, o)
		}
	}
	return latest
}

// checkOutcomes compares what Outcomes hold with the markers, those that are whole.
func (r *Report) checkOutcomes(ctx context.Context, s store.Store, markers []Marker) error {
	objects, err := List(ctx, s, outcomesFolder(r.Campaign))
	if err != nil || len(objects) == 0 {
		return err
	}
	said := make(map[Run]Outcome, len(markers))
	for _, m := range markers {
		said[m.Run()] = m.Outcome()
	}
	for _, object := range objects {
		o, err := ReadOutcomes(ctx, s, object.Key)
		switch {
		case errors.Is(err, store.ErrCorrupt):
			r.addFinding(object.Key, err)
		case err != nil:
			return err
		}
		for _, run := range o.Runs {
			marker, ok := said[run.Run]
			if !ok { // it is damaged, or was written since the markers were listed
				if _, err := s.Head(ctx, run.MarkerKey(r.Campaign)); errors.Is(err, fs.ErrNotExist) {
					r.addFinding(object.Key,
						fmt.Errorf("it has an outcome of collaboration %s, which has no marker", run.Run))
				} else if err != nil {
					return err
				}
			} else if !reflect.DeepEqual(marker, run) {
				r.addFinding(object.Key, fmt.Errorf("it has another outcome of collaboration %s than its marker", run.Run))
			}
		}
	}
	return nil
}
