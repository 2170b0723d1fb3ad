package regression_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/regression"
)

// Where the collaborations that may be exchanged all show the same acts, an
// exchange changes no coefficient: p is 1, not the smallest there is because
// sums in another order differ in the last digit.
func TestNothingToTellApartIsNoClaim(t *testing.T) {
	runs := analysistest.Script{Runs: 40, Rounds: 8, Agents: 3, Seed: 3, Trend: 0.03, Own: 0.1, Noise: 0.1}.Make()
	for i := range runs {
		for r := range runs[i].Rounds {
			runs[i].Rounds[r].Acts = make([]acts.Set, 3)
			if r%3 == 0 { // Propose, and then Accept of another one: in rounds 2, 5 and 8
				runs[i].Rounds[r].Acts[0] = 1 << 5
			} else if r%3 == 1 {
				runs[i].Rounds[r].Acts[1] = 1 << 8
			}
		}
	}
	got, err := regression.RegressActs(runs, 499, 1)
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, e := range got.Effects {
		if e.Permutation == nil {
			continue
		}
		if tested++; *e.Permutation != 1 {
			t.Errorf("%s: permutation p %v, and every permutation has the same coefficient", e.Name, *e.Permutation)
		}
	}
	if tested == 0 {
		t.Error("no pair was tested")
	}
}

// Trajectories are exchanged between collaborations with score in the same
// rounds only. Where those that are undecided longer act otherwise, an exchange
// across would claim what is no matter of the score.
func TestExchangeKeepsWhatIsMissing(t *testing.T) {
	runs := analysistest.Script{Runs: 40, Rounds: 6, Agents: 2, Seed: 3, Own: 0.01, Noise: 0.01}.Make()
	for i := range runs {
		late := i % 2
		for r := range runs[i].Rounds {
			runs[i].Rounds[r].Acts = make([]acts.Set, 2)
			switch r % 3 { // Propose, then Accept: a round later where the decision is late
			case late:
				runs[i].Rounds[r].Acts[0] = 1 << 5
			case late + 1:
				runs[i].Rounds[r].Acts[1] = 1 << 8
			}
			if late == 1 && r < 3 {
				runs[i].Rounds[r].Score = nil
			}
		}
	}
	got, err := regression.RegressActs(runs, 499, 1)
	if err != nil {
		t.Fatal(err)
	}
	tested := 0
	for _, e := range got.Effects {
		if e.Permutation != nil {
			if tested++; *e.Permutation != 1 {
				t.Errorf("%s: permutation p %v, and nobody who may be exchanged acts otherwise", e.Name, *e.Permutation)
			}
		}
	}
	if tested == 0 {
		t.Error("no pair was tested")
	}
}

// A trend is one of the rounds that the regression uses: from 2.
func TestTrendLeavesRoundOneOut(t *testing.T) {
	runs := analysistest.Script{Runs: 20, Rounds: 6, Agents: 3, Seed: 5, Noise: 0.01}.Make()
	for i := range runs {
		*runs[i].Rounds[0].Score = -5
	}
	if trend := regression.TrendOf(runs); trend.N != 20 || math.Abs(trend.Slope) > 0.01 {
		t.Errorf("a round changes score by %.4f, of %d collaborations", trend.Slope, trend.N)
	}
}

// What is far is far from the mean of the permutations: a pair of late rounds
// goes along with rising score under the null, and one that lowers score
// by as much has a coefficient near 0.
func TestPermutationIsCentred(t *testing.T) {
	draw := rand.New(rand.NewPCG(2, 2))
	runs := analysistest.Script{Runs: 60, Rounds: 9, Agents: 2, Seed: 3, Trend: 0.05, Noise: 0.02}.Make()
	for i := range runs {
		for r := range runs[i].Rounds {
			runs[i].Rounds[r].Acts = make([]acts.Set, 2)
		}
		for r := 1; r < 9; r += 2 { // Propose, then Accept, the later the likelier
			if draw.IntN(9) < r {
				runs[i].Rounds[r-1].Acts[0], runs[i].Rounds[r].Acts[1] = 1<<5, 1<<8
				*runs[i].Rounds[r].Score -= 0.06
			}
		}
	}
	got, err := regression.RegressActs(runs, 499, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range got.Effects {
		if e.Name == accepts.String() && (math.Abs(e.Beta) > 0.02 || *e.Permutation > 0.01) {
			t.Errorf("%s: coefficient %.3f, permutation p %v; planted were -0.06 against the trend", e.Name, e.Beta, *e.Permutation)
		}
	}
	if len(got.Effects) == 0 {
		t.Error("no pair was tested")
	}
}
