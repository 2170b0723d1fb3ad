package regression

import (
	"fmt"
	"slices"

	"roundtable/analysis/acts"
	"roundtable/analysis/gold"
	"roundtable/workflows/stopping"
)

// perColumn is how many rounds with gold labels the joint regression on all pairs needs per column; with
// fewer, the corrected products of pairs do not determine it.
const perColumn = 10

// Drawn is a round, from 2, of a collaboration, together with the round before: what could be drawn, or came later.
type Drawn struct {
	Run     int // index of the trajectory
	Round   int
	Stratum int
	Late    bool            // it could not be drawn, because its collaboration was added after the draw
	Gold    [][2][]acts.Set // by coder: acts by agent in the round before and in this one; nil if it was not drawn
}

// Correction is the effect of one pair with gold labels.
type Correction struct {
	Naive *float64       // of the pair alone, by the labels: mean score with it minus without
	Alone *gold.Estimate // the same, corrected; nil if gold says too little
	Err   error          // why Alone is nil
	Joint *gold.Estimate // next to all other pairs, corrected; nil likewise
}

// CorrectActs corrects the effects of the pairs that RegressActs fits to the same trajectories, in
// their order. Pairs are products of labels, and regressors: their moments are corrected, not
// the labels. joint says why there are no effects next to other pairs; nil if there are.
func CorrectActs(runs []acts.Trajectory, drawn []Drawn) (all []Correction, joint, err error) {
	p, err := NewPairs(runs)
	if err != nil {
		return nil, nil, err
	}
	every := p.emptySet()
	for i := range p.rows {
		every.add(i)
	}
	kept, _ := p.fittableColumns(every)
	all = make([]Correction, len(kept))
	framed := slices.DeleteFunc(slices.Clone(drawn), func(d Drawn) bool { return d.Late })
	for j, c := range kept {
		if naive, err := gold.Naive(p.unitsFor([]Column{c}, drawn)); err == nil {
			all[j].Naive = &naive[1]
		}
		all[j].Alone, all[j].Err = p.correct(c, framed)
	}
	coded := 0
	for _, d := range framed {
		if d.Gold != nil && runs[d.Run].ScoreAt(d.Round) != nil {
			coded++
		}
	}
	if need := perColumn * (len(kept) + 1); coded < need {
		return all, fmt.Errorf("%d rounds with gold; %d, %d for each of %d columns, would be needed", coded, need,
			perColumn, len(kept)+1), nil
	}
	e, err := gold.SolveSlopes(p.unitsFor(kept, framed))
	if err != nil {
		return all, err, nil
	}
	for j := range all {
		all[j].Joint = &e[j+1]
	}
	return all, nil, nil
}

// correct the effect of one pair.
func (p *Pairs) correct(c Column, framed []Drawn) (*gold.Estimate, error) {
	e, err := gold.SolveSlopes(p.unitsFor([]Column{c}, framed))
	switch {
	case err != nil:
		return nil, err
	case !p.isTelling(c, framed):
		return nil, gold.ErrFewShown
	}
	return &e[1], nil
}

// unitsFor returns the moments of score regressed on some pairs.
func (p *Pairs) unitsFor(columns []Column, drawn []Drawn) []gold.Unit {
	units := make([]gold.Unit, len(drawn))
	for i, d := range drawn {
		units[i] = gold.Unit{Cluster: p.units[d.Run], Stratum: d.Stratum}
		if d.Gold != nil {
			units[i].Gold = &gold.Moments{}
		}
		y := p.runs[d.Run].ScoreAt(d.Round)
		if y == nil {
			continue
		}
		counts := p.counts[d.Run][d.Round-2]
		units[i].Machine.AddRow(regressorsOf(columns, func(pair acts.Pair) bool { return counts[pair] > 0 }), *y, 1)
		for _, coder := range d.Gold {
			units[i].Gold.AddRow(regressorsOf(columns, shownIn(coder)), *y, 1/float64(len(d.Gold)))
		}
	}
	return units
}

// regressorsOf are the intercept and what of the pairs is shown.
func regressorsOf(columns []Column, shown func(acts.Pair) bool) []float64 {
	x := make([]float64, len(columns)+1)
	x[0] = 1
	for j, c := range columns {
		if shown(c.Pair) {
			x[j+1] = 1
		}
	}
	return x
}

// shownIn returns which pairs two rounds show.
func shownIn(rounds [2][]acts.Set) func(acts.Pair) bool {
	return func(pair acts.Pair) bool { return stopping.Times(rounds[0], rounds[1], pair) > 0 }
}

// isTelling reports whether gold shows a pair often enough, and lacks it often enough.
func (p *Pairs) isTelling(c Column, drawn []Drawn) bool {
	some, not := 0, 0
	for _, d := range drawn {
		if p.runs[d.Run].ScoreAt(d.Round) == nil {
			continue
		}
		for _, coder := range d.Gold {
			if shownIn(coder)(c.Pair) {
				some++
			} else {
				not++
			}
			break // coders see the same rounds
		}
	}
	return some >= gold.FewShown && not >= gold.FewShown
}
