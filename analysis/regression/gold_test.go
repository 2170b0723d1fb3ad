package regression_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/regression"
)

// planted returns collaborations of three rounds and two agents in which a round that answers a
// proposal with an acceptance is worth 0.5 more, by a labeller that finds acceptances in
// 0.7 of the messages that have them and in 0.15 of the others.
func planted(seed uint64, n int) (runs []acts.Trajectory, truth [][][]acts.Set) {
	r := rand.New(rand.NewPCG(seed, 1))
	propose, _ := acts.Of("Propose")
	accept, _ := acts.Of("Accept")
	for i := range n {
		t := acts.Trajectory{ID: string(rune('a'+i/26)) + string(rune('a'+i%26)), Unit: string(rune('a'+i/26)) + string(rune('a'+i%26)), Agents: 2}
		var own [][]acts.Set
		for round := range 4 {
			now, seen, y := make([]acts.Set, 2), make([]acts.Set, 2), 0.3*r.NormFloat64()
			for a := range now {
				if r.Float64() < 0.5 {
					now[a] |= propose
				}
				if r.Float64() < 0.4 {
					now[a] |= accept
				}
				seen[a] = now[a] & propose
				if found := r.Float64(); now[a]&accept != 0 && found < 0.7 || now[a]&accept == 0 && found < 0.15 {
					seen[a] |= accept
				}
			}
			if round > 0 {
				before := own[round-1]
				if before[0]&propose != 0 && now[1]&accept != 0 || before[1]&propose != 0 && now[0]&accept != 0 {
					y += 0.5
				}
			}
			own = append(own, now)
			t.Rounds = append(t.Rounds, acts.Round{Score: &y, Acts: seen})
		}
		runs, truth = append(runs, t), append(truth, own)
	}
	return runs, truth
}

func drawnOf(runs []acts.Trajectory, truth [][][]acts.Set, share float64, seed uint64) []regression.Drawn {
	r := rand.New(rand.NewPCG(seed, 2))
	var all []regression.Drawn
	for i, t := range runs {
		for round := 2; round <= len(t.Rounds); round++ {
			d := regression.Drawn{Run: i, Round: round}
			if r.Float64() < share {
				d.Gold = [][2][]acts.Set{{truth[i][round-2], truth[i][round-1]}}
			}
			all = append(all, d)
		}
	}
	return all
}

func of(t *testing.T, runs []acts.Trajectory, drawn []regression.Drawn) (regression.Correction, error) {
	t.Helper()
	a, err := regression.RegressActs(runs, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	all, joint, err := regression.CorrectActs(runs, drawn)
	if err != nil || len(all) != len(a.Effects) {
		t.Fatalf("%d corrections of %d effects, error %v", len(all), len(a.Effects), err)
	}
	for i, e := range a.Effects {
		if e.Name == "Propose->Accept" {
			return all[i], joint
		}
	}
	t.Fatal("Propose->Accept is not fitted")
	return regression.Correction{}, nil
}

// TestCorrectActs: with all coded the effects are those of the truth; with a third coded the
// intervals hold the truth, alone and next to other pairs, and the labels' effect is too small.
func TestCorrectActs(t *testing.T) {
	runs, truth := planted(1, 200)
	right := make([]acts.Trajectory, len(runs))
	for i, run := range runs {
		right[i] = run
		right[i].Rounds = append([]acts.Round(nil), run.Rounds...)
		for round := range right[i].Rounds {
			right[i].Rounds[round].Acts = truth[i][round]
		}
	}
	all, _ := of(t, runs, drawnOf(runs, truth, 1, 1))
	want, _ := of(t, right, drawnOf(right, truth, 0, 1))
	if math.Abs(all.Alone.Value-*want.Naive) > 1e-9 {
		t.Errorf("with all coded %v, in truth %v", all.Alone.Value, *want.Naive)
	}
	joint, err := regression.RegressActs(right, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range joint.Effects {
		if e.Name == "Propose->Accept" && (all.Joint == nil || math.Abs(all.Joint.Value-e.Beta) > 1e-9) {
			t.Errorf("next to other pairs with all coded %+v, in truth %v", all.Joint, e.Beta)
		}
	}
	some, why := of(t, runs, drawnOf(runs, truth, 0.35, 1))
	if some.Alone == nil || some.Alone.Low > *want.Naive || some.Alone.High < *want.Naive || *some.Naive > 0.8**want.Naive {
		t.Errorf("alone: %+v, by labels %v, in truth %v", some.Alone, *some.Naive, *want.Naive)
	}
	if some.Joint == nil || some.Joint.Low > 0.5 || some.Joint.High < 0.5 {
		t.Errorf("next to other pairs: %+v, %v; want 0.5", some.Joint, why)
	}
	few, why := of(t, runs, drawnOf(runs, truth, 0.02, 1))
	if few.Joint != nil || why == nil || !strings.Contains(why.Error(), "would be needed") {
		t.Errorf("a dozen rounds with gold determine %+v (%v)", few.Joint, why)
	}
}
