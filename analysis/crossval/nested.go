package crossval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
	"gonum.org/v1/gonum/stat"
)

// innerFolds is the number of folds by which NestedMethods choose parameters within the training
// collaborations.
const innerFolds = 5

// NestedMethods returns Methods with Dialogue Act twice: as in the paper, which chooses parameters
// on the collaborations that the regression was fitted to, and nested, which chooses them on inner
// folds made with seed.
func NestedMethods(seed uint64) []Method {
	methods := Methods()
	i := slices.IndexFunc(methods, func(m Method) bool { return m == Method(DialogueAct{}) })
	return slices.Insert(methods, i+1, Method(DialogueAct{Inner: innerFolds, Seed: seed}))
}

// Units returns the units of several conditions, for folds that are the same in all of them.
func Units(conditions ...*Data) []string {
	var units []string
	for _, d := range conditions {
		for _, t := range d.Runs {
			units = append(units, t.Unit)
		}
	}
	slices.Sort(units)
	return slices.Compact(units)
}

// Repeated sums up a method's cross-validation over many divisions into folds.
type Repeated struct {
	Method   string   `json:"method"`
	Absent   string   `json:"absent,omitempty"`
	Seeds    []uint64 `json:"seeds"`
	Score    *float64 `json:"score"`    // mean over seeds of the mean over held-out collaborations
	Spread   *float64 `json:"spread"`   // standard deviation of it over seeds: how much the division alone changes
	Apparent *float64 `json:"apparent"` // mean over seeds and folds of the rule on its own training collaborations
	// Optimism is Apparent - Score: what a rule promises where it was made and
	// does not keep elsewhere.
	Optimism  *float64 `json:"optimism"`
	Round     float64  `json:"round"`      // mean last round, unfired runs with theirs
	GapClosed *float64 `json:"gap_closed"` // mean over seeds; nil unless every one of them has it
}

// Repeat cross-validates on k folds of units (nil for those of d), divided anew with each seed.
// methods is called for each seed.
func Repeat(ctx context.Context, d *Data, units []string, k int, seeds []uint64,
	methods func(seed uint64) []Method) ([]Repeated, error) {
	if units == nil {
		units = Units(d)
	}
	if len(seeds) == 0 {
		return nil, fmt.Errorf("repeated cross-validation needs at least one seed")
	}
	bySeed, summaries := make([][]Result, len(seeds)), make([][]Summary, len(seeds))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(2) // each goes through all methods at once; more would hold more outcomes
	for i, seed := range seeds {
		g.Go(func() error {
			folds, err := NewFolds(units, k, seed)
			if err != nil {
				return err
			}
			if bySeed[i], err = Validate(ctx, d, folds, methods(seed)); err == nil {
				summaries[i] = Summarize(d, bySeed[i])
				for m := range bySeed[i] { // of every collaboration, and nobody needs more than the summary
					bySeed[i][m].Outcomes, summaries[i][m].Compared = nil, Compared{}
				}
			}
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	list := make([]Repeated, len(bySeed[0]))
	for m := range list {
		list[m] = Repeated{Method: bySeed[0][m].Method, Absent: bySeed[0][m].Absent, Seeds: seeds}
		list[m].fillMethod(bySeed, summaries, m)
	}
	return list, nil
}

func (r *Repeated) fillMethod(results [][]Result, summaries [][]Summary, m int) {
	var score, apparent, rounds, gaps []float64
	for i := range results {
		s := summaries[i][m]
		rounds = append(rounds, s.Round)
		if s.Score != nil {
			score = append(score, *s.Score)
		}
		if s.GapClosed != nil && s.GapClosed.Share != nil {
			gaps = append(gaps, *s.GapClosed.Share)
		}
		for _, t := range results[i][m].Trained {
			if t.Apparent != nil {
				apparent = append(apparent, *t.Apparent)
			}
		}
	}
	r.Score, r.Apparent = meanOf(score), meanOf(apparent)
	if len(gaps) == len(results) {
		r.GapClosed = meanOf(gaps)
	}
	r.Round = stat.Mean(rounds, nil)
	if r.Score != nil && r.Apparent != nil {
		r.Optimism = new(*r.Apparent - *r.Score)
		if math.Abs(*r.Optimism) < tie {
			*r.Optimism = 0 // of a rule without training, up to rounding
		}
	}
	if len(score) > 1 {
		r.Spread = new(stat.StdDev(score, nil))
	}
}
