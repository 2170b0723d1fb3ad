package regression_test

import (
	"math"
	"strings"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/regression"
)

const accepts = acts.Pair(5*11 + 8) // Propose->Accept

// A pair that raises score by 0.2 is found with its size, and nothing else is claimed.
func TestPlantedPairIsFound(t *testing.T) {
	runs := analysistest.Script{Runs: 100, Rounds: 10, Agents: 3, Seed: 4, Pair: accepts, Effect: 0.2, Own: 0.1, Noise: 0.1}.Make()
	got, err := regression.RegressActs(runs, 2999, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range got.Effects {
		claimed := *e.Adjusted < 0.05
		if claimed != (e.Name == accepts.String()) {
			t.Errorf("%s: beta %.3f, adjusted p %.3f", e.Name, e.Beta, *e.Adjusted)
		}
		if e.Name == accepts.String() && math.Abs(e.Beta-0.2) > 3*e.Clustered.SE {
			t.Errorf("%s is worth %.3f (%.3f), planted were 0.2", e.Name, e.Beta, e.Clustered.SE)
		}
	}
	if w := got.Trend.Warning(); w != "" {
		t.Errorf("a warning without a trend: %s", w)
	}
}

// Where score only rises with time and differs between collaborations, the
// permutation test rejects at its nominal rate: 0.05 within four standard
// errors of the mean over campaigns. Clustered standard errors alone reject more.
func TestNullRejectsAtItsRate(t *testing.T) {
	rejected, tested, clustered := 0, 0, 0
	const campaigns = 20
	for seed := range uint64(campaigns) {
		runs := analysistest.Script{Runs: 40, Rounds: 6, Agents: 3, Seed: 100 + seed, Trend: 0.03, Drift: 0.03, Own: 0.1, Noise: 0.05}.Make()
		got, err := regression.RegressActs(runs, 199, seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range got.Effects {
			if e.Permutation == nil {
				continue
			}
			tested++
			if *e.Permutation <= 0.05 {
				rejected++
			}
			if e.Clustered != nil && e.Clustered.P <= 0.05 {
				clustered++
			}
		}
		if len(got.Warnings) == 0 || !strings.Contains(got.Warnings[0], "a round") {
			t.Errorf("campaign %d has a trend and the warnings %v", seed, got.Warnings)
		}
	}
	// Coefficients of one campaign are correlated; the rate of a campaign has a
	// standard deviation of about 0.03 (measured), so 0.007 for the mean of 20.
	if rate := float64(rejected) / float64(tested); math.Abs(rate-0.05) > 4*0.007 {
		t.Errorf("%d of %d tests reject: %.3f", rejected, tested, rate)
	}
	if clustered <= rejected {
		t.Errorf("clustered p rejects in %d of %d null pairs, permutation p in %d; the tables say that it rejects more", clustered, tested, rejected)
	}
	t.Logf("%d of %d by permutation, %d by clustered errors", rejected, tested, clustered)
}

// The same seed gives the same p-values; trajectories that nobody can be
// exchanged with give none, and say so.
func TestPermutationIsSeededAndExplained(t *testing.T) {
	plan := analysistest.Script{Runs: 30, Rounds: 5, Agents: 3, Seed: 9, Own: 0.1, Noise: 0.1}
	one, err := regression.RegressActs(plan.Make(), 49, 7)
	if err != nil {
		t.Fatal(err)
	}
	two, err := regression.RegressActs(plan.Make(), 49, 7)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range one.Effects {
		if (e.Permutation == nil) != !e.Estimable || e.Estimable && *e.Permutation != *two.Effects[i].Permutation {
			t.Errorf("%s has other p-values the second time", e.Name)
		}
	}
	alone := plan.Make()
	for i := range alone {
		alone[i].Condition = alone[i].ID
	}
	got, err := regression.RegressActs(alone, 49, 7)
	if err != nil {
		t.Fatal(err)
	}
	if got.Effects[0].Permutation != nil || !strings.Contains(strings.Join(got.Warnings, "\n"), "nothing to exchange") {
		t.Errorf("permuted alone: %v, %v", got.Effects[0].Permutation, got.Warnings)
	}
}

func BenchmarkRegression(b *testing.B) {
	runs := analysistest.Script{Runs: 600, Rounds: 10, Agents: 3, Seed: 1, Own: 0.1, Noise: 0.1}.Make()
	pairs, err := regression.NewPairs(runs)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("design", func(b *testing.B) {
		for b.Loop() {
			_, _ = regression.NewPairs(runs)
		}
	})
	b.Run("X", func(b *testing.B) {
		for b.Loop() {
			_, _ = regression.RegressActs(runs, 0, 0)
		}
	})
	b.Run("X'X", func(b *testing.B) {
		for b.Loop() {
			_, _, _ = pairs.Fit(every(len(runs)))
		}
	})
	b.Run("999 permutations", func(b *testing.B) {
		for b.Loop() {
			_, _ = regression.RegressActs(runs, 999, 1)
		}
	})
}
