package crossval

import (
	"testing"

	"roundtable/analysis/trajectory"
	"roundtable/analysis/trajectory/trajectorytest"
)

// TestLearnSignals: the signals are those of the method made on the same collaborations, and the
// first round in which they fire is its stop.
func TestLearnSignals(t *testing.T) {
	runs, _ := trajectorytest.Reference(t, "exchange")
	d, err := NewData(runs)
	if err != nil {
		t.Fatal(err)
	}
	every := make([]int, len(runs))
	for i := range every {
		every[i] = i
	}
	fitted, err := DialogueAct{}.Fit(d, every)
	if err != nil {
		t.Fatal(err)
	}
	rule, err := LearnSignals(d)
	if err != nil || len(rule.Pairs) != len(fitted.Learned.Pairs) || len(rule.Pairs) == 0 {
		t.Fatalf("%+v, error %v; the method learns %+v", rule, err, fitted.Learned)
	}
	for i, pair := range rule.Pairs {
		if pair.String() != fitted.Learned.Pairs[i] {
			t.Errorf("signal %d is %s, of the method %s", i, pair, fitted.Learned.Pairs[i])
		}
	}
	fired := 0
	for run, one := range runs {
		stop := Stop{Round: len(one.Rounds)}
		for round := 2; round <= len(one.Rounds); round++ {
			counts, _ := one.Pairs(round)
			if rule.Fires(func(p trajectory.Pair) int { return int(counts[p]) }) {
				stop = Stop{Round: round, Fired: true}
				fired++
				break
			}
		}
		if want := fitted.Stop(run); stop.Round != want.Round || stop.Fired != want.Fired {
			t.Errorf("%s stops at %+v, want %+v", one.ID, stop, want)
		}
	}
	if fired == 0 {
		t.Error("it never fires")
	}
}
