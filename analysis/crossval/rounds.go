package crossval

import (
	"fmt"
	"math"

	"roundtable/workflows/stopping"
)

// ValidationCheckpoint stops at the mean of the training collaborations' best
// rounds, to the nearest round. Collaborations whose score never changes have
// no best round. (Table 11 prints it counted from 0.)
type ValidationCheckpoint struct{}

func (ValidationCheckpoint) Name() string { return "Validation Checkpoint" }
func (ValidationCheckpoint) Fit(d *Data, train []int) (Fitted, error) {
	sum, n := 0, 0
	for _, run := range train {
		if d.varies[run] {
			sum, n = sum+d.best[run], n+1
		}
	}
	if n == 0 {
		return d.neverStop(stopping.MethodCheckpoint, noTraining(len(train), "changes in score")), nil
	}
	mean := float64(sum) / float64(n)
	round := min(max(int(math.Floor(mean+0.5)), 1), d.rounds)
	return d.fitMethod(stopping.Fitted{Method: stopping.MethodCheckpoint, Round: round},
		Learned{Round: &round, MeanBest: &mean}), nil
}

// FixedBestRound stops at the round with the best mean score of the training collaborations, where
// a run without a decision yet counts its own worst score. Of equals it takes the round in which
// more have decided, then the earlier one.
type FixedBestRound struct{}

func (FixedBestRound) Name() string { return "Fixed Best Round" }
func (FixedBestRound) Fit(d *Data, train []int) (Fitted, error) {
	best, round := tally{}, 0
	for r := 1; r <= d.rounds; r++ {
		t := tally{}
		for _, run := range train {
			t.add(d, run, r)
		}
		if t.isBetter(best) {
			best, round = t, r
		}
	}
	if round == 0 {
		return d.neverStop(stopping.MethodFixed, noTraining(len(train), "has a score in any round")), nil
	}
	return d.fitMethod(stopping.Fitted{Method: stopping.MethodFixed, Round: round},
		Learned{Round: &round, Train: new(best.meanWorth())}), nil
}

// InformationDistance stops at the first round from 2 whose distance to the
// round before is below a threshold: the mean of the distances at the training
// collaborations' best rounds. A best round 1 has no distance and is left out, as
// are collaborations whose score never changes. A round without messages, and
// the one after it, have no distance either: the rule neither learns from them
// nor stops there.
type InformationDistance struct{}

func (InformationDistance) Name() string { return "Information Distance" }
func (InformationDistance) Fit(d *Data, train []int) (Fitted, error) {
	if d.distances == 0 {
		return Fitted{}, fmt.Errorf("none of the %d collaborations has an information distance: no two rounds in a "+
			"row have messages that were measured", len(d.Runs))
	}
	sum, n := 0.0, 0
	for _, run := range train {
		if distance := d.distanceAt(run, d.best[run]); d.varies[run] && distance != nil {
			sum, n = sum+*distance, n+1
		}
	}
	if n == 0 {
		return d.neverStop(stopping.MethodDistance,
			noTraining(len(train), "is best in a round with information distance")), nil
	}
	threshold := sum / float64(n)
	return d.fitMethod(stopping.Fitted{Method: stopping.MethodDistance, Threshold: &threshold},
		Learned{Threshold: &threshold}), nil
}

// distanceAt of a round from the one before; nil in round 1 and where it is not defined.
func (d *Data) distanceAt(run, round int) *float64 {
	if round < 2 {
		return nil
	}
	return d.Runs[run].Rounds[round-1].Distance
}
