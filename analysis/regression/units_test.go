package regression_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/regression"
)

// replicated returns collaborations of 12 instances, each run 8 times. Score
// and the habit of answering a proposal with an acceptance are the instance's, and
// have nothing to do with each other.
func replicated(seed uint64) []acts.Trajectory {
	draw := rand.New(rand.NewPCG(seed, 0))
	runs := analysistest.Script{Runs: 96, Rounds: 3, Agents: 2, Seed: seed, Noise: 0.02}.Make()
	var level, habit [12]float64
	for i := range level {
		level[i], habit[i] = 0.2*draw.NormFloat64(), draw.Float64()
	}
	for i := range runs {
		runs[i].Instance = i / 8
		runs[i].Unit = fmt.Sprintf("i%d", i/8)
		for r := range runs[i].Rounds {
			*runs[i].Rounds[r].Score += level[i/8]
			runs[i].Rounds[r].Acts = make([]acts.Set, 2)
			if draw.Float64() < habit[i/8] {
				runs[i].Rounds[r].Acts[r%2] = 1 << (5 + 3*(r%2))
			}
		}
	}
	return runs
}

// Replicates of an instance are not evidence of their own: pairs that mean nothing
// are called significant in about 0.05 of the samples, not in most of them.
func TestReplicatesAreNoEvidence(t *testing.T) {
	const samples = 60
	clustered, permuted, tested := 0, 0, 0
	for seed := range uint64(samples) {
		got, err := regression.RegressActs(replicated(seed), 99, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range got.Effects {
			if e.Clustered == nil || e.Permutation == nil {
				continue
			}
			tested++
			if e.Clustered.P < 0.05 {
				clustered++
			}
			if *e.Permutation <= 0.05 {
				permuted++
			}
		}
	}
	if tested < samples {
		t.Fatalf("%d pairs tested", tested)
	}
	if share := float64(clustered) / float64(tested); share > 0.2 {
		t.Errorf("clustered p rejects %.2f of pairs that mean nothing", share)
	}
	if share := float64(permuted) / float64(tested); share > 0.12 {
		t.Errorf("permutation p rejects %.2f of pairs that mean nothing", share)
	}
}

// habitual returns collaborations of instances that mean nothing: each has its own
// level of score and an act that its agents show in every second turn, and in
// all of them score and acts change with the rounds.
func habitual(seed uint64, instances, replicates int) []acts.Trajectory {
	draw := rand.New(rand.NewPCG(seed, 0))
	runs := analysistest.Script{Runs: instances * replicates, Rounds: 6, Agents: 3, Seed: seed, Trend: 0.03, Drift: 0.03, Own: 0.05, Noise: 0.05}.Make()
	level, habit := make([]float64, instances), make([]acts.Set, instances)
	for i := range level {
		level[i] = 0.2 * draw.NormFloat64()
		habit[i] = acts.Set(1 << draw.IntN(11))
	}
	for i := range runs {
		k := i / replicates
		runs[i].Instance = k
		runs[i].Unit = fmt.Sprintf("i%d", k)
		for r := range runs[i].Rounds {
			*runs[i].Rounds[r].Score += level[k]
			for a := range runs[i].Rounds[r].Acts {
				if draw.Float64() < 0.5 {
					runs[i].Rounds[r].Acts[a] |= habit[k]
				}
			}
		}
	}
	return runs
}

// Of pairs that mean nothing, both p-values reject about 0.05 also where score
// and acts are the instance's; docs/guides/stopping.md has the figures of many more campaigns.
func TestNullByInstance(t *testing.T) {
	const campaigns = 30
	clustered, permuted, tested := 0, 0, 0
	for seed := range uint64(campaigns) {
		got, err := regression.RegressActs(habitual(10000+seed, 10, 4), 199, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range got.Effects {
			if e.Clustered == nil || e.Permutation == nil {
				continue
			}
			tested++
			if e.Clustered.P <= 0.05 {
				clustered++
			}
			if *e.Permutation <= 0.05 {
				permuted++
			}
		}
	}
	// Pairs of one campaign are correlated: as in TestNullRejectsAtItsRate, four
	// standard deviations of a campaign's rate, 0.03/√30.
	for name, rejected := range map[string]int{"clustered": clustered, "permutation": permuted} {
		if rate := float64(rejected) / float64(tested); math.Abs(rate-0.055) > 4*0.0055 {
			t.Errorf("%s p rejects %.3f of %d pairs that mean nothing", name, rate, tested)
		}
	}
	t.Logf("of %d: %d by permutation, %d by clustered errors", tested, permuted, clustered)
}

// The coefficients and the paper's p-values do not depend on the units.
func TestUnitsLeaveTheFit(t *testing.T) {
	by := replicated(3)
	each := slices.Clone(by)
	for i := range each {
		each[i].Unit = each[i].ID
	}
	a, err := regression.RegressActs(by, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := regression.RegressActs(each, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.Effects {
		if a.Effects[i].Beta != b.Effects[i].Beta || *a.Effects[i].Test != *b.Effects[i].Test {
			t.Errorf("%s: %+v and %+v", a.Effects[i].Name, a.Effects[i], b.Effects[i])
		}
		if a.Effects[i].Clustered.SE == b.Effects[i].Clustered.SE {
			t.Errorf("%s: clustered SE does not depend on the units", a.Effects[i].Name)
		}
	}
}
