package gold_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"roundtable/analysis/gold"
	"roundtable/analysis/regression"
	"roundtable/analysis/statistics"
)

// TestAllGold: where everything is coded by hand, labels make no difference, and estimates are
// those of the tables without gold.
func TestAllGold(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var shares []gold.ShareUnit
	var units []gold.Unit
	clusters := make([][2]float64, 40)
	x, y := mat.NewDense(160, 1, nil), []float64{}
	for i := range 160 {
		byHand := [2]float64{float64(r.IntN(3)), 3}
		clusters[i/4][0] += byHand[0]
		clusters[i/4][1] += byHand[1]
		shares = append(shares, gold.ShareUnit{Cluster: i / 4, Machine: [2]float64{1, 3}, Gold: &byHand})
		x.Set(i, 0, byHand[0])
		y = append(y, byHand[0]+r.NormFloat64())
		var m, wrong gold.Moments
		m.AddRow([]float64{1, byHand[0]}, y[i], 1)
		wrong.AddRow([]float64{1, float64(r.IntN(2))}, y[i], 1)
		units = append(units, gold.Unit{Cluster: i / 4, Machine: wrong, Gold: &m})
	}
	got, err := gold.EstimateShare(shares)
	want := statistics.RatioOf(clusters)
	if err != nil || math.Abs(got.Value-want.Value) > 1e-12 || math.Abs(got.SE / *want.SE - 1) > 0.03 {
		t.Errorf("share %+v, error %v; want %v (%v)", got, err, want.Value, *want.SE)
	}
	fit, err := regression.LeastSquares([]string{"x"}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	slopes, err := gold.Solve(units)
	if err != nil || math.Abs(slopes[1].Value-fit.Terms[1].Beta) > 1e-10 || math.Abs(slopes[1].SE/fit.Terms[1].Test.SE-1) > 0.2 {
		t.Errorf("slope %+v, error %v; want %+v", slopes, err, fit.Terms[1])
	}
	if naive, err := gold.Naive(units); err != nil || math.Abs(naive[1]-fit.Terms[1].Beta) < 0.3 {
		t.Errorf("labels without a relation to the truth have the slope %v, error %v", naive, err)
	}
}

// TestPerfectLabels: if the labeller never errs, gold adds nothing to its figures.
func TestPerfectLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	units := make([]gold.ShareUnit, 300)
	shown := 0.0
	for i := range units {
		m := [2]float64{float64(r.IntN(2)), 1}
		shown += m[0]
		units[i] = gold.ShareUnit{Cluster: i, Stratum: i % 2, Machine: m}
		if i%10 < 2 {
			units[i].Gold = &m
		}
	}
	got, err := gold.EstimateShare(units)
	if err != nil || got.Lambda < 0.99 || math.Abs(got.Value-shown/300) > 1e-9 || got.Drawn != 60 || got.DOF != 58 {
		t.Errorf("%+v, error %v; want %v", got, err, shown/300)
	}
	if got.SE > 0.5*got.Alone.SE {
		t.Errorf("standard error %v, of gold alone %v", got.SE, got.Alone.SE)
	}
}

// TestUselessLabels: labels by chance are given no weight to speak of.
func TestUselessLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	units := make([]gold.ShareUnit, 600)
	for i := range units {
		units[i] = gold.ShareUnit{Cluster: i, Machine: [2]float64{float64(r.IntN(2)), 1}}
		if i%4 == 0 {
			units[i].Gold = &[2]float64{float64(r.IntN(2)), 1}
		}
	}
	got, err := gold.EstimateShare(units)
	if err != nil || got.Lambda > 0.25 || got.SE > 1.05*got.Alone.SE {
		t.Errorf("%+v, error %v", got, err)
	}
}

func TestTooLittle(t *testing.T) {
	byHand, never := &[2]float64{1, 2}, &[2]float64{0, 2}
	var often []gold.ShareUnit // what gold shows in 4, and not in 20
	for i := range 24 {
		often = append(often, gold.ShareUnit{Cluster: i, Gold: [2]*[2]float64{byHand, never}[min(i/4, 1)]})
	}
	always := slices.Clone(often) // in 20, and not always in 4
	for i := range always {
		always[i].Gold = [2]*[2]float64{byHand, {2, 2}}[min(i/4, 1)]
	}
	for what, c := range map[string]struct {
		units []gold.ShareUnit
		want  error
	}{
		"nothing":        {nil, gold.ErrNoGold},
		"no gold":        {[]gold.ShareUnit{{Machine: [2]float64{1, 2}}}, gold.ErrNoGold},
		"one":            {[]gold.ShareUnit{{Gold: byHand}, {Cluster: 1}}, gold.ErrFewGold},
		"one cluster":    {[]gold.ShareUnit{{Gold: byHand}, {Gold: byHand}, {Cluster: 1}}, gold.ErrFewGold},
		"a bare stratum": {[]gold.ShareUnit{{Gold: byHand}, {Cluster: 1, Gold: byHand}, {Cluster: 1, Stratum: 1}}, gold.ErrBareStratum},
		"never shown":    {[]gold.ShareUnit{{Gold: &[2]float64{}}, {Cluster: 1, Gold: &[2]float64{}}}, gold.ErrUnsettled},
		"next to never":  {[]gold.ShareUnit{{Gold: byHand}, {Cluster: 1, Gold: byHand}, {Cluster: 2, Gold: never}, {Cluster: 3, Gold: never}, {Cluster: 4, Gold: never}}, gold.ErrFewShown},
		"hardly ever":    {often, gold.ErrFewShown},
		"nearly always":  {always, gold.ErrFewShown},
		"by one alone":   {[]gold.ShareUnit{{Gold: byHand}, {Cluster: 1, Gold: &[2]float64{}}}, gold.ErrUnsettled},
	} {
		if got, err := gold.EstimateShare(c.units); !errors.Is(err, c.want) {
			t.Errorf("%s: %+v, error %v, want %v", what, got, err, c.want)
		}
	}
	if _, err := gold.Solve([]gold.Unit{{Gold: &gold.Moments{G: []float64{1}, B: []float64{1}}, Machine: gold.Moments{G: []float64{1}, B: []float64{1, 2}}}}); err == nil {
		t.Error("moments of different sizes are solved")
	}
}

// An effect that too few coded units tell of has no figure, and says how many it needs.
func TestSlopesNeedEnoughUnits(t *testing.T) {
	for n, want := range map[int]error{gold.FewForSlope - 1: gold.ErrFewForSlope, gold.FewForSlope: nil} {
		var units []gold.Unit
		for i := range n {
			x, y := float64(i%2), float64(i%3)
			m := gold.Moments{G: []float64{1, x, x, x}, B: []float64{y, x * y}}
			units = append(units, gold.Unit{Cluster: i, Gold: &m, Machine: m})
		}
		units = append(units, gold.Unit{Cluster: n, Machine: units[0].Machine})
		if _, err := gold.SolveSlopes(units); !errors.Is(err, want) {
			t.Errorf("with %d coded units: %v, want %v", n, err, want)
		}
	}
}
