package crossval

import (
	"cmp"
	"errors"
	"fmt"

	"roundtable/workflows/stopping"
)

// DialogueAct stops when enough pairs of dialogue acts that go with greater score occur in a round.
// Its parameters are those of the Grid with the greatest mean score, where a run without a decision
// yet counts its own worst score; of equals, those with more decided, then with fewer rounds.
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
		return d.neverStop(stopping.MethodDialogueAct, err), nil
	}
	tallies := newTallies()
	if m.Inner == 0 {
		tallies.add(d, found, train)
	} else if err := m.tallyInner(d, train, tallies); err != nil {
		return d.neverStop(stopping.MethodDialogueAct, err), nil
	}
	i := tallies.bestIndex()
	if i < 0 {
		return d.neverStop(stopping.MethodDialogueAct, noTraining(len(train), "has a score at a stop")), nil
	}
	best := tallies[i]
	rule := stopping.Fitted{Method: stopping.MethodDialogueAct, Signals: found[best.level], Count: best.params.Count,
		Score: best.params.Score}
	rule.Signals = rule.Signals[:min(best.params.Top, len(rule.Signals))]
	l := Learned{Params: &best.params, Train: new(best.meanWorth())}
	for _, s := range rule.Signals {
		l.Pairs = append(l.Pairs, s.Pair.String())
	}
	if len(rule.Signals) < best.params.Score {
		l.Note = fmt.Sprintf("%d of the %d signals needed to stop were found", len(rule.Signals), best.params.Score)
		rule.Never = l.Note
	}
	return d.fitMethod(rule, l), nil
}

// LearnDialogueAct returns the rule of DialogueAct fitted on all collaborations.
func LearnDialogueAct(d *Data) (stopping.Fitted, error) {
	f, err := DialogueAct{}.Fit(d, d.everyRun())
	switch {
	case err != nil:
		return stopping.Fitted{}, err
	case len(f.Rule.Signals) == 0:
		return stopping.Fitted{}, errors.New(cmp.Or(f.Learned.Note, "no pair goes with a greater score"))
	}
	return *f.Rule, nil
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
type signals [len(levels) + 1][]stopping.Signal

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
