package stopping

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roundtable/analysis/acts"
	"roundtable/analysis/analysistest"
	"roundtable/analysis/campaign"
	"roundtable/analysis/study/dialogue"
	"roundtable/workflows/stopping"
)

// TestFiring: rounds in which the rule fires rightly are worth 1 more; the labels make it fire in
// more rounds than it should. With all rounds coded the figures are those of the truth, with a
// third of them their intervals hold it.
func TestFiring(t *testing.T) {
	for _, share := range []float64{1, 0.35} {
		r := rand.New(rand.NewPCG(1, 1))
		var f firing
		right, byLabels, both, n := 0.0, 0.0, 0.0, 0.0
		for run := range 150 {
			for range 4 {
				truth, y := r.Float64() < 0.3, 0.2*r.NormFloat64()
				machine := truth && r.Float64() < 0.9 || !truth && r.Float64() < 0.3
				if truth {
					y++
				}
				coders := []bool{truth, truth}
				if r.Float64() >= share {
					coders = nil
				}
				f.add(run, 0, &y, machine, coders)
				right, byLabels, both, n = right+oneIf(truth), byLabels+oneIf(machine), both+oneIf(truth && machine), n+1
			}
		}
		empty := dialogue.Emptied{}
		c := f.firingCells(firing{}, empty)
		var late firing
		late.add(1000, 0, nil, true, nil)
		if with := f.firingCells(late, empty); math.Abs(*with[0].Value-(byLabels+1)/(n+1)) > 1e-9 || *with[1].Value != *c[1].Value {
			t.Errorf("with a late round that fires: %v as labelled, corrected %v", *with[0].Value, *with[1].Value)
		}
		if len(empty) > 0 {
			t.Errorf("figures are empty: %v", empty)
		}
		if math.Abs(*c[0].Value-byLabels/n) > 1e-9 || *c[7].Value > 0.8 {
			t.Errorf("fires, as labelled: %v, want %v; better by %v, want less than in truth", *c[0].Value, byLabels/n, *c[7].Value)
		}
		for what, at := range map[string]struct {
			i    int
			want float64
		}{"fires": {1, right / n}, "rightly": {4, both / byLabels}, "better by": {8, 1}} {
			value, low, high := *c[at.i].Value, *c[at.i+1].Value, *c[at.i+2].Value
			if share == 1 && what != "better by" && math.Abs(value-at.want) > 1e-9 || at.want < low || at.want > high {
				t.Errorf("%.2f coded: %s %.3f (%.3f to %.3f), in truth %.3f", share, what, value, low, high, at.want)
			}
		}
	}
}

// Replicates of a question are one unit of the errors, and each question is its own.
func TestFiringsAreByUnit(t *testing.T) {
	runs := analysistest.Script{Runs: 3, Rounds: 2, Agents: 3, Seed: 1}.Make()
	runs[1].Unit = runs[0].Unit
	f, _, outside := firingsOf(runs, nil, stopping.Fitted{Method: stopping.MethodDialogueAct, Count: 1, Score: 1})
	var units []int
	for _, u := range f.fires {
		units = append(units, u.Cluster)
	}
	if want := []int{0, 0, 1}; !slices.Equal(units, want) || outside != 0 {
		t.Errorf("the rounds are of units %v, want %v; %d are outside", units, want, outside)
	}
}

// TestNoSignals: where labels are there and no rule can be learned from them, the table says so;
// without labels there is none.
func TestNoSignals(t *testing.T) {
	c := analysistest.OfTrajectories("exchange", map[string][]acts.Trajectory{
		"majority": analysistest.Script{Runs: 1, Rounds: 6, Agents: 3, Seed: 1, Peak: 3}.Make(),
	})
	if _, ok := SignalTable(c); ok {
		t.Error("there are signals without labels")
	}
	courses := campaign.TrajectoriesOf(c)
	courses.Labels = acts.Labels{By: "rules-1"}
	campaign.Keep(&c.Parts, courses)
	tab, ok := SignalTable(c)
	if notes := strings.Join(tab.Notes, "\n"); !ok || len(tab.Rows) > 0 || !strings.Contains(notes, "No signals: majority-") {
		t.Errorf("%t, %d rows, notes\n%s", ok, len(tab.Rows), notes)
	}
}
