package regression_test

import (
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/regression"
	"roundtable/analysis/trajectory/trajectorytest"
)

// Where the collaborations that may be exchanged all show the same acts, an
// exchange changes no coefficient: p is 1, not the smallest there is because
// sums in another order differ in the last digit.
func TestNothingToTellApartIsNoClaim(t *testing.T) {
	runs := trajectorytest.Plan{Runs: 40, Rounds: 8, Agents: 3, Seed: 3, Trend: 0.03, Own: 0.1, Noise: 0.1}.Make()
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
