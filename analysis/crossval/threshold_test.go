package crossval_test

import (
	"testing"

	"roundtable/analysis/analysistest"
	"roundtable/analysis/crossval"
)

// A distance that never changes is never below its own mean.
func TestEqualDistanceDoesNotStop(t *testing.T) {
	runs := analysistest.Script{Runs: 16, Rounds: 5, Agents: 3, Seed: 1, Noise: 0.1}.Make()
	for i := range runs {
		for r := 1; r < len(runs[i].Rounds); r++ {
			runs[i].Rounds[r].Distance = new(0.25)
		}
	}
	d := data(t, runs)
	results, err := crossval.Validate(t.Context(), d, folds(t, d, 4, 1), []crossval.Method{crossval.Baseline{}, crossval.InformationDistance{}, crossval.Oracle{}})
	if err != nil {
		t.Fatal(err)
	}
	if s := crossval.Summarize(d, results)[1]; *s.Threshold != 0.25 || s.FiredN != 0 {
		t.Errorf("threshold %v stops %d collaborations at a distance of 0.25", *s.Threshold, s.FiredN)
	}
}
