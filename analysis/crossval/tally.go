package crossval

import (
	"math"
	"slices"
)

// tie is the difference of mean score below which two rules are equally good.
const tie = 1e-12

// tally is what one combination does to some collaborations.
type tally struct {
	params       Params
	level        int     // of its p-value
	sum          float64 // of score where it is defined
	n            int
	worth        float64 // of what each is worth in training, over those that ever decide
	ever         int
	rounds, runs int
}

func (t tally) meanWorth() float64 { return t.worth / float64(t.ever) }
func (t tally) meanRound() float64 { return float64(t.rounds) / float64(t.runs) }

// add a run that ends with a round.
func (t *tally) add(d *Data, run, round int) {
	worth, decided := d.trainingWorth(run, round)
	if worth != nil {
		t.worth, t.ever = t.worth+*worth, t.ever+1
	}
	if decided {
		t.sum, t.n = t.sum+*worth, t.n+1
	}
	t.rounds, t.runs = t.rounds+round, t.runs+1
}

// isBetter reports whether a tally of the same runs beats another: by worth, then by
// how many have decided, then by fewer rounds. None at all is beaten by any.
func (t tally) isBetter(other tally) bool {
	if t.ever == 0 || other.ever == 0 {
		return t.ever > 0
	}
	switch difference := t.meanWorth() - other.meanWorth(); {
	case math.Abs(difference) > tie:
		return difference > 0
	case t.n != other.n:
		return t.n > other.n
	}
	return t.meanRound() < other.meanRound()-tie
}

type tallies []tally

func newTallies() tallies {
	grid := Grid()
	list := make(tallies, len(grid))
	for i, p := range grid {
		list[i].params, list[i].level = p, len(levels)
		if p.P != nil {
			list[i].level = slices.Index(levels[:], *p.P)
		}
	}
	return list
}

// add the runs under the signals of each p-value.
func (ts tallies) add(d *Data, found signals, runs []int) {
	for _, run := range runs {
		var first [len(levels) + 1][3][most][most]int
		for level, pairs := range found {
			for count := range 3 {
				first[level][count] = d.firstStops(run, pairs, count+1)
			}
		}
		for i := range ts {
			t := &ts[i]
			round := first[t.level][t.params.Count-1][t.params.Top-1][t.params.Score-1]
			if round == 0 {
				round = d.rounds
			}
			t.add(d, run, round)
		}
	}
}

// bestIndex of the tallies, the first of equals; -1 if the score is nowhere defined.
func (ts tallies) bestIndex() int {
	best, at := tally{}, -1
	for i, t := range ts {
		if t.isBetter(best) {
			best, at = t, i
		}
	}
	return at
}

// Combination is the result of one point of the Grid on the collaborations it was fitted to.
type Combination struct {
	Params    Params
	Score     float64 // mean over the N where it is defined; 0 if there are none
	N         int
	MeanRound float64 // unfired runs count with their last round
}

// Search evaluates the whole Grid, in its order, on the collaborations that the regression was
// fitted to. best is the index of the point that DialogueAct takes.
func Search(d *Data) (all []Combination, best int, err error) {
	if d.unpaired != nil {
		return nil, 0, d.unpaired
	}
	runs := make([]int, len(d.Runs))
	for i := range runs {
		runs[i] = i
	}
	found, err := d.findSignals(runs)
	if err != nil {
		return nil, 0, err
	}
	ts := newTallies()
	ts.add(d, found, runs)
	if best = ts.bestIndex(); best < 0 {
		return nil, 0, noTraining(len(runs), "has a score at a stop")
	}
	for _, t := range ts {
		c := Combination{Params: t.params, N: t.n, MeanRound: t.meanRound()}
		if t.n > 0 {
			c.Score = t.sum / float64(t.n)
		}
		all = append(all, c)
	}
	return all, best, nil
}
