// Package crossval asks offline what stopping rules would have made of finished
// collaborations (paper 1, section 7 and appendix D.7): each method is fitted on
// some collaborations and judged on others. Rounds count from 1; score is
// higher the better; what is not defined is nil, with the n that remains.
package crossval

import (
	"fmt"

	"roundtable/analysis/acts"
	"roundtable/analysis/regression"
	"roundtable/workflows/stopping"
)

// Data is the collaborations of one condition, prepared once for all methods.
type Data struct {
	Runs []acts.Trajectory

	seen      [][]stopping.Round // what rules look at, by collaboration and round
	rounds    int                // that every collaboration has
	best      []int              // earliest best round
	varies    []bool             // score is not the same in all rounds
	worst     []*float64         // least score in any round; nil if it is nowhere defined
	pairs     *regression.Pairs
	unpaired  error // why there are none
	distances int   // rounds that have an information distance
	partly    int   // collaborations that have none in some round from 2
}

// NewData prepares collaborations of equal length, at least two of them. Without
// labels or distances the methods that need these say so; the others do without.
func NewData(runs []acts.Trajectory) (*Data, error) {
	if err := acts.Same(runs, 2); err != nil {
		return nil, err
	}
	d := &Data{Runs: runs, rounds: len(runs[0].Rounds)}
	defined := 0
	for _, t := range runs {
		d.seen = append(d.seen, t.Seen())
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
