// Package crossval asks offline what stopping rules would have made of finished
// collaborations (paper 1, section 7 and appendix D.7): each method is fitted on
// some collaborations and judged on others. Rounds count from 1; score is
// higher the better; what is not defined is nil, with the n that remains.
package crossval

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"roundtable/analysis/acts"
	"roundtable/analysis/regression"
	"roundtable/workflows/stopping"
)

// Data is the collaborations of one condition, prepared once for all methods.
type Data struct {
	Runs []acts.Trajectory

	seen      [][]stopping.Round // what rules look at, by collaboration and round
	agreed    [][]float64        // agreement after each round; nil where nothing is known of it
	unit      []int              // of each run, numbered in the order of their names
	units     int
	named     []int      // all runs in the order of their names
	whole     []Saving   // what each run took
	rounds    int        // that every collaboration has
	best      []int      // earliest best round
	varies    []bool     // score is not the same in all rounds
	worst     []*float64 // least score in any round; nil if it is nowhere defined
	pairs     *regression.Pairs
	unpaired  error // why there are none
	distances int   // rounds that have an information distance
	partly    int   // collaborations that have none in some round from 2

	finding sync.Mutex
	stops   map[plainRule][]Stop // by run, under rules that were asked for
}

// NewData returns the data of at least two collaborations of equal length. Methods that need labels
// or distances return an error in Fit if these are missing.
func NewData(runs []acts.Trajectory) (*Data, error) {
	if err := acts.Same(runs, 2); err != nil {
		return nil, err
	}
	d := &Data{Runs: runs, rounds: len(runs[0].Rounds), stops: map[plainRule][]Stop{}}
	defined, units := 0, Units(d)
	d.units = len(units)
	for run, t := range runs {
		unit, _ := slices.BinarySearch(units, t.Unit)
		d.unit, d.named = append(d.unit, unit), append(d.named, run)
		d.seen = append(d.seen, t.Seen())
		d.agreed, d.whole = append(d.agreed, agreementOf(d.seen[run])), append(d.whole, d.savingOf(run, Stop{}))
		best, varies := t.Best()
		d.best, d.varies = append(d.best, best), append(d.varies, varies)
		if t.ScoreAt(best) != nil {
			defined++
		}
		d.worst = append(d.worst, worstScore(t))
		n := t.Distances()
		d.distances += n
		if n < d.rounds-1 {
			d.partly++
		}
	}
	slices.SortStableFunc(d.named, func(a, b int) int { return cmp.Compare(runs[a].ID, runs[b].ID) })
	if defined == 0 {
		return nil, fmt.Errorf("none of the %d collaborations has a score in any round, so there is nothing to judge a stop by", len(runs))
	}
	d.pairs, d.unpaired = regression.NewPairs(runs)
	return d, nil
}

// everyRun returns all runs by index.
func (d *Data) everyRun() []int {
	runs := make([]int, len(d.Runs))
	for i := range runs {
		runs[i] = i
	}
	return runs
}

// scoreAt of a run at a stop; the last round stands for one that never came.
func (d *Data) scoreAt(run int, s Stop) *float64 { return d.Runs[run].ScoreAt(s.Round) }

func worstScore(t acts.Trajectory) *float64 {
	var least *float64
	for _, r := range t.Rounds {
		if r.Score != nil && (least == nil || *r.Score < *least) {
			least = r.Score
		}
	}
	return least
}

// trainingWorth returns what a round is worth to a rule that is fitted on a run: score,
// and where nothing has been decided yet the run's own worst score, so that
// all rounds and rules are compared on the same runs and none gains by leaving
// the hard ones undecided. It is nil for a run that never decides.
func (d *Data) trainingWorth(run, round int) (worth *float64, decided bool) {
	if g := d.Runs[run].ScoreAt(round); g != nil {
		return g, true
	}
	return d.worst[run], false
}

// averageScore averages the scores of runs under a rule, over those where it is defined.
func (d *Data) averageScore(runs []int, stop func(run int) Stop) (mean float64, n int) {
	for _, run := range runs {
		if g := d.scoreAt(run, stop(run)); g != nil {
			mean, n = mean+*g, n+1
		}
	}
	if n == 0 {
		return 0, 0
	}
	return mean / float64(n), n
}
