package statistics

import (
	"math"
	"testing"

	"roundtable/analysis/referencetest"
)

// Three runs by hand: the mean is 54, the squares of 1, -1 and 0 over 2 are 1.
func TestRunsByHand(t *testing.T) {
	if mean, sd, ok := MeanOfRuns([]float64{55, 53, 54}); !ok || mean != 54 || *sd != 1 {
		t.Errorf("%v ± %v", mean, *sd)
	}
	if mean, sd, ok := MeanOfRuns([]float64{7}); !ok || mean != 7 || sd != nil {
		t.Errorf("one run: %v ± %v", mean, sd)
	}
	if _, _, ok := MeanOfRuns(nil); ok {
		t.Error("no runs have a mean")
	}
}

// The reference vector, made with scipy.
func TestRunsVector(t *testing.T) {
	var v struct {
		Three struct {
			Runs []float64
			Mean float64
			SD   float64 `json:"sd_ddof1"`
		} `json:"three_runs"`
	}
	referencetest.Read(t, "other_papers.json", &v)
	if len(v.Three.Runs) != 3 {
		t.Fatalf("%d runs", len(v.Three.Runs))
	}
	if mean, sd, _ := MeanOfRuns(v.Three.Runs); math.Abs(mean-v.Three.Mean) > 1e-9 || math.Abs(*sd-v.Three.SD) > 1e-9 {
		t.Errorf("%v ± %v, want %v ± %v", mean, *sd, v.Three.Mean, v.Three.SD)
	}
}
