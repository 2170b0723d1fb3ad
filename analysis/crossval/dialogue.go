package crossval

import (
	"fmt"

	"roundtable/analysis/trajectory"
)

// DialogueAct stops when enough pairs of dialogue acts that go with greater
// goodness occur in a round. Its parameters are those of the Grid with the
// greatest mean goodness, the undecided counted as Data.trained says; of equals,
// those with more decided, then with fewer rounds.
type DialogueAct struct {
	// Inner is the number of folds within the training collaborations by which
	// the parameters are chosen; 0 is the paper's way, by what they do on the
	// collaborations that the regression was fitted to.
	Inner int
	Seed  uint64 // of the inner folds
}

func (m DialogueAct) Name() string {
	if m.Inner > 0 {
		return "Dialogue Act (nested)"
	}
	return "Dialogue Act"
}

func (m DialogueAct) Fit(d *Data, train []int) (Fitted, error) {
	if d.unpaired != nil {
		return Fitted{}, d.unpaired
	}
	found, err := d.findSignals(train)
	if err != nil {
		return d.neverStop(Learned{Note: err.Error()}), nil
	}
	tallies := newTallies()
	if m.Inner == 0 {
		tallies.add(d, found, train)
	} else if err := m.tallyInner(d, train, tallies); err != nil {
		return d.neverStop(Learned{Note: err.Error()}), nil
	}
	i := tallies.bestIndex()
	if i < 0 {
		return d.neverStop(Learned{Note: noTraining(len(train), "has goodness at a stop").Error()}), nil
	}
	best := tallies[i]
	pairs := found[best.level]
	pairs = pairs[:min(best.params.Top, len(pairs))]
	l := Learned{Params: &best.params, Train: new(best.meanWorth())}
	for _, p := range pairs {
		l.Pairs = append(l.Pairs, p.String())
	}
	if len(pairs) < best.params.Score {
		l.Note = fmt.Sprintf("%d of the %d signals needed to stop were found", len(pairs), best.params.Score)
	}
	return Fitted{func(run int) Stop { return d.stopOf(run, pairs, best.params) }, l}, nil
}

// Signals are what the rule Dialogue Act has learned: it stops at the first round in which enough
// of its pairs occur often enough.
type Signals struct {
	Pairs  []trajectory.Pair
	Params Params
}

// LearnSignals returns what the rule learns from all collaborations.
func LearnSignals(d *Data) (Signals, error) {
	if d.unpaired != nil {
		return Signals{}, d.unpaired
	}
	every := make([]int, len(d.Runs))
	for i := range every {
		every[i] = i
	}
	found, err := d.findSignals(every)
	if err != nil {
		return Signals{}, err
	}
	tallies := newTallies()
	tallies.add(d, found, every)
	i := tallies.bestIndex()
	if i < 0 {
		return Signals{}, noTraining(len(every), "has goodness at a stop")
	}
	best := tallies[i]
	pairs := found[best.level]
	return Signals{Pairs: pairs[:min(best.params.Top, len(pairs))], Params: best.params}, nil
}

// Fires reports whether the rule stops a collaboration at a round from 2 that it comes to, given
// how often each pair occurs in it.
func (s Signals) Fires(count func(trajectory.Pair) int) bool {
	points := 0
	for _, pair := range s.Pairs {
		if count(pair) >= s.Params.Count {
			points++
		}
	}
	return points >= s.Params.Score
}

// tallyInner tallies each training collaboration with the signals of the others' folds.
func (m DialogueAct) tallyInner(d *Data, train []int, tallies tallies) error {
	units := make([]string, len(train))
	for i, run := range train {
		units[i] = d.Runs[run].Unit
	}
	folds, err := NewFolds(units, m.Inner, m.Seed)
	if err != nil {
		return err
	}
	for k := range m.Inner {
		in, out := folds.split(d, train, k)
		found, err := d.findSignals(in)
		if err != nil {
			found = signals{} // none: every combination lets these run to the end
		}
		tallies.add(d, found, out)
	}
	return nil
}

// signals are the candidates for each p-value of the grid.
type signals [len(levels) + 1][]trajectory.Pair

func (d *Data) findSignals(train []int) (byLevel signals, err error) {
	fit, columns, err := d.pairs.Fit(train)
	if err != nil {
		return byLevel, err
	}
	for i := range byLevel {
		byLevel[i] = candidatePairs(fit, columns, pLevel(i))
	}
	return byLevel, nil
}

// stopOf of a run: the first round from 2 with enough points.
func (d *Data) stopOf(run int, pairs []trajectory.Pair, p Params) Stop {
	if round := d.firstStops(run, pairs, p.Count)[p.Top-1][p.Score-1]; round > 0 {
		return Stop{Round: round, Fired: true}
	}
	return Stop{Round: d.rounds}
}
