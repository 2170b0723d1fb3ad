package analysistest

import (
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/referencetest"
)

// Reference returns the 50 trajectories of dialogue_acts_<kind> with the distances
// that go with them, and the fold of each.
func Reference(t testing.TB, kind string) (runs []acts.Trajectory, folds []int) {
	t.Helper()
	var data struct {
		Collaborations []collaboration
		Folds          []int
	}
	referencetest.Read(t, "dialogue_acts_"+kind+"_data.json", &data)
	var expected struct {
		Distance map[string][]*float64 `json:"information_distance"`
	}
	referencetest.Read(t, "dialogue_acts_"+kind+"_expected.json", &expected)
	for _, c := range data.Collaborations {
		runs = append(runs, c.trajectory(t, expected.Distance[c.ID]))
	}
	return runs, data.Folds
}

type collaboration struct {
	ID           string
	Kind         string
	Higher       bool `json:"higher_is_better"`
	Acts         [][][]string
	Agreed       []bool
	NewProposals []int `json:"new_proposals"`
	Perf         []*float64
}

func (c collaboration) trajectory(t testing.TB, distance []*float64) acts.Trajectory {
	t.Helper()
	run := acts.Trajectory{ID: c.ID, Condition: c.Kind, Unit: c.ID, Environment: c.Kind}
	for r, perf := range c.Perf {
		round := acts.Round{Score: perf, Agreed: c.Agreed[r], Proposals: c.NewProposals[r], Distance: distance[r]}
		if perf != nil && !c.Higher {
			less := -*perf
			round.Score = &less
		}
		for _, names := range c.Acts[r] {
			set, ok := acts.Of(names...)
			if !ok {
				t.Fatalf("%v are not dialogue acts", names)
			}
			round.Acts = append(round.Acts, set)
		}
		run.Rounds = append(run.Rounds, round)
	}
	return run
}
