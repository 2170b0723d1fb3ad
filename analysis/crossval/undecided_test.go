package crossval_test

import (
	"fmt"
	"strings"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/crossval"
)

// rated is a collaboration whose error by round is given; nil before a decision.
func rated(id string, score ...any) acts.Trajectory {
	r := acts.Trajectory{ID: id, Unit: id}
	for _, g := range values(score...) {
		r.Rounds = append(r.Rounds, acts.Round{Score: g, Agreed: g != nil})
	}
	return r
}

// Easy items are decided in round 1 and stay as they are; hard ones are decided
// in round 3. On all items round 3 is best: a rule must not learn round 1 because
// only the easy ones have a figure there.
func TestTrainingIsOnTheSameItems(t *testing.T) {
	var runs []acts.Trajectory
	for i := range 6 {
		runs = append(runs, rated(fmt.Sprint("easy", i), -.1, -.1, -.1, -.2), rated(fmt.Sprint("hard", i), nil, nil, -1.0, -1.5))
	}
	d := data(t, runs)
	results, err := crossval.Validate(t.Context(), d, folds(t, d, 3, 1), []crossval.Method{crossval.Baseline{}, crossval.FixedBestRound{}, crossval.Oracle{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, learned := range results[1].Trained {
		if *learned.Round != 3 {
			t.Errorf("fold %d learns round %d; on all items round 3 is best", learned.Fold, *learned.Round)
		}
	}
	if s := crossval.Summarize(d, results)[1]; s.Defined != 12 || *s.GapClosed.Share != 1 {
		t.Errorf("%+v, gap %+v", s, *s.GapClosed)
	}
}

// A collaboration that never has a score gives the Oracle nothing to stop at.
func TestOracleDoesNotStopTheUndecided(t *testing.T) {
	d := data(t, []acts.Trajectory{
		rated("a", -2.0, -1.0, -3.0, -3.0), rated("b", nil, -1.0, -2.0, -2.0), rated("c", -1.0, -2.0, -1.5, -2.0), rated("never", nil, nil, nil, nil),
	})
	results, err := crossval.Validate(t.Context(), d, folds(t, d, 2, 1), []crossval.Method{crossval.Baseline{}, crossval.Oracle{}})
	if err != nil {
		t.Fatal(err)
	}
	s := crossval.Summarize(d, results)[1]
	if !near(s.Round, (2+2+1+4)/4.) || !near(s.Effective, .75) || s.Saved.Rounds != 7 || s.FiredN != 3 || s.Defined != 3 || s.GapClosed.N != 3 {
		t.Errorf("%+v, gap on %d", s, s.GapClosed.N)
	}
}

// A collaboration in which nobody speaks in one round keeps the rule by distance
// for itself in its other rounds and for all the others.
func TestSilentRoundIsLeftOut(t *testing.T) {
	runs := analysistest.Script{Runs: 20, Rounds: 6, Agents: 3, Seed: 8, Peak: 5, Noise: 0.001, Still: 4}.Make()
	for i := range runs {
		for r := 1; r < 6; r++ {
			runs[i].Rounds[r].Distance = new([]float64{0, 1, .75, .25, .5, .5}[r]) // the mean at the best rounds is .5
		}
	}
	runs[0].Rounds[2].Distance, runs[0].Rounds[3].Distance = nil, nil // silent in round 3
	runs[0].Rounds[5].Distance = new(.125)
	d := data(t, runs)
	results, err := crossval.Validate(t.Context(), d, folds(t, d, 5, 1), []crossval.Method{crossval.InformationDistance{}})
	if err != nil {
		t.Fatal(err)
	}
	s := crossval.Summarize(d, results)[0]
	if s.Absent != "" || s.N != 20 || s.FiredN != 20 || s.Threshold == nil {
		t.Fatalf("%+v", s)
	}
	if stop := results[0].Outcomes[0].Stop; stop.Round != 6 || !stop.Fired {
		t.Errorf("the collaboration with a silent round is stopped at %+v, want round 6, the first with a small distance", stop)
	}
	if !strings.Contains(s.Partly, "1 of 20 collaborations") || !strings.Contains(s.Partly, "98 of 100 rounds") {
		t.Errorf("said of it: %q", s.Partly)
	}
}
