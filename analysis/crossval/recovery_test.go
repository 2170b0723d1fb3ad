package crossval_test

import (
	"math"
	"slices"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/crossval"
)

const accepts = acts.Pair(5*11 + 8) // Propose->Accept

func repeated(t testing.TB, runs []acts.Trajectory, seeds ...uint64) map[string]crossval.Repeated {
	t.Helper()
	list, err := crossval.Repeat(t.Context(), data(t, runs), nil, 5, seeds, crossval.NestedMethods)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]crossval.Repeated{}
	for _, r := range list {
		byName[r.Method] = r
	}
	return byName
}

// Score peaks at round 4: every fold learns that round, and stopping there
// wins most of what can be won.
func TestPlantedPeakIsFound(t *testing.T) {
	runs := analysistest.Script{Runs: 60, Rounds: 10, Agents: 3, Seed: 5, Peak: 4, Own: 0.1, Noise: 0.02}.Make()
	d := data(t, runs)
	results, err := crossval.Validate(t.Context(), d, folds(t, d, 5, 1), []crossval.Method{crossval.Baseline{}, crossval.ValidationCheckpoint{}, crossval.FixedBestRound{}, crossval.Oracle{}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results[1:3] {
		for _, learned := range r.Trained {
			if *learned.Round != 4 {
				t.Errorf("%s learns round %d, planted was 4", r.Method, *learned.Round)
			}
		}
	}
	for _, s := range crossval.Summarize(d, results)[1:3] {
		if *s.GapClosed.Share < 0.9 || !near(s.Effective, 1) || s.Saved.Rounds != 60*6 || math.Abs(*s.Saved.CostUSD-0.36) > 1e-9 {
			t.Errorf("%s closes %.2f of the gap and saves %+v", s.Method, *s.GapClosed.Share, s.Saved)
		}
	}
}

// A pair of acts raises score by 0.3 in the round that shows it: in every fold
// it is the strongest signal, and stopping by it beats both no stop and the best
// fixed round, on collaborations that were not trained on.
func TestPlantedPairStops(t *testing.T) {
	runs := analysistest.Script{Runs: 100, Rounds: 10, Agents: 3, Seed: 6, Pair: accepts, Effect: 0.3, Own: 0.1, Noise: 0.05}.Make()
	d := data(t, runs)
	results, err := crossval.Validate(t.Context(), d, folds(t, d, 5, 1), crossval.NestedMethods(1))
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]crossval.Summary{}
	for i, s := range crossval.Summarize(d, results) {
		by[s.Method] = s
		for _, learned := range results[i].Trained {
			if learned.Params != nil && (len(learned.Pairs) == 0 || learned.Pairs[0] != accepts.String()) {
				t.Errorf("%s: signals of fold %d are %v", s.Method, learned.Fold, learned.Pairs)
			}
		}
	}
	for _, name := range []string{"Dialogue Act", "Dialogue Act (nested)"} {
		if *by[name].GapClosed.Share < 0.5 || *by[name].Score < *by["Fixed Best Round"].Score+0.1 {
			t.Errorf("%s closes %.2f of the gap; %.3f against %.3f of a fixed round", name, *by[name].GapClosed.Share, *by[name].Score, *by["Fixed Best Round"].Score)
		}
	}
}

// Distances fall below 0.1 from round 5 on, where nothing more is proposed and
// score begins to fall: both signals are found.
func TestPlantedStillness(t *testing.T) {
	runs := analysistest.Script{Runs: 50, Rounds: 10, Agents: 3, Seed: 8, Peak: 5, Noise: 0.01, Still: 5}.Make()
	d := data(t, runs)
	results, err := crossval.Validate(t.Context(), d, folds(t, d, 5, 1), []crossval.Method{crossval.InformationDistance{}, crossval.ConsecutiveAgreements{}})
	if err != nil {
		t.Fatal(err)
	}
	s := crossval.Summarize(d, results)
	if *s[0].Threshold > 0.1 || *s[0].FiredAt < 5 || *s[0].FiredAt > 8 || *s[1].FiredAt != 5 {
		t.Errorf("threshold %.3f stops at %.2f, silence at %.2f; planted was round 5", *s[0].Threshold, *s[0].FiredAt, *s[1].FiredAt)
	}
}

// Where no pair matters, the paper's way of searching promises a gain on its own
// collaborations that it does not keep on others.
func TestNothingPlantedNothingGained(t *testing.T) {
	if !*long {
		t.Skip("TestNothingLeaks is quicker; -long")
	}
	var gains, optimism []float64
	for seed := range uint64(8) {
		runs := analysistest.Script{Runs: 40, Rounds: 6, Agents: 3, Seed: 50 + seed, Own: 0.1, Noise: 0.1}.Make()
		by := repeated(t, runs, seed, seed+100)
		gains = append(gains, *by["Dialogue Act (nested)"].Score-*by["Baseline"].Score)
		optimism = append(optimism, *by["Dialogue Act"].Optimism)
		if o := *by["First Agreement"].Optimism; math.Abs(o) > 1e-3 {
			t.Errorf("a rule without training has an optimism of %.4f", o)
		}
	}
	mean, se := meanSE(gains)
	if math.Abs(mean) > 4*se {
		t.Errorf("nothing was planted, and the nested rule gains %.4f (%.4f)", mean, se)
	}
	if mean, se := meanSE(optimism); mean < 4*se || slices.Min(optimism) < 0 {
		t.Errorf("the search on training data has an optimism of %.4f (%.4f), by campaign %.3f", mean, se, optimism)
	}
}

func meanSE(x []float64) (mean, se float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / float64(len(x)*(len(x)-1)))
}

// Seeds divide differently, and the same seeds in the same way.
func TestRepeatIsSeeded(t *testing.T) {
	runs := analysistest.Script{Runs: 60, Rounds: 6, Agents: 3, Seed: 2, Pair: accepts, Effect: 0.1, Noise: 0.1}.Make()
	a, b := repeated(t, runs, 1, 2), repeated(t, runs, 1, 2)
	for name, r := range a {
		if (r.Score == nil) != (name == "Stability" || name == "E-process") { // planted collaborations count nothing
			t.Errorf("%s: score %v", name, r.Score)
		} else if r.Score == nil {
			continue
		}
		if *r.Score != *b[name].Score || *r.Optimism != *b[name].Optimism {
			t.Errorf("%s is %v and then %v", name, *r.Score, *b[name].Score)
		}
	}
	if *a["Dialogue Act"].Spread == 0 || *a["Baseline"].Spread > 1e-12 {
		t.Errorf("spread over seeds: %v of Dialogue Act, %v of the baseline", *a["Dialogue Act"].Spread, *a["Baseline"].Spread)
	}
	if _, err := crossval.Repeat(t.Context(), data(t, runs), nil, 5, nil, crossval.NestedMethods); err == nil {
		t.Error("no seeds are not cross-validation")
	}
}

// Issue's size: 600 collaborations of 10 rounds. Grid is one regression and 180
// combinations; cross-validation is 5 folds of all methods; nested is 10 seeds
// of these, with 5 inner folds in each.
func BenchmarkCrossValidation(b *testing.B) {
	runs := analysistest.Script{Runs: 600, Rounds: 10, Agents: 3, Seed: 1, Pair: accepts, Effect: 0.1, Peak: 4, Own: 0.1, Noise: 0.1}.Make()
	d := data(b, runs)
	b.Run("prepare", func(b *testing.B) {
		for b.Loop() {
			data(b, runs)
		}
	})
	b.Run("grid", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := crossval.Search(d); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("5 folds", func(b *testing.B) {
		f := folds(b, d, 5, 1)
		for b.Loop() {
			if _, err := crossval.Validate(b.Context(), d, f, crossval.Methods()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("nested", func(b *testing.B) {
		for b.Loop() {
			repeated(b, runs, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
		}
	})
}
