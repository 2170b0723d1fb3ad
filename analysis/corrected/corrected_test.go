package corrected_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"roundtable/analysis/corrected"
	"roundtable/analysis/regression"
	"roundtable/analysis/statistics"
)

// TestAllGold: where everything is coded by hand, labels make no difference, and estimates are
// those of the tables without gold.
func TestAllGold(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var shares []corrected.ShareUnit
	var units []corrected.Unit
	clusters := make([][2]float64, 40)
	x, y := mat.NewDense(160, 1, nil), []float64{}
	for i := range 160 {
		gold := [2]float64{float64(r.IntN(3)), 3}
		clusters[i/4][0] += gold[0]
		clusters[i/4][1] += gold[1]
		shares = append(shares, corrected.ShareUnit{Cluster: i / 4, Machine: [2]float64{1, 3}, Gold: &gold})
		x.Set(i, 0, gold[0])
		y = append(y, gold[0]+r.NormFloat64())
		var m, wrong corrected.Moments
		m.AddRow([]float64{1, gold[0]}, y[i], 1)
		wrong.AddRow([]float64{1, float64(r.IntN(2))}, y[i], 1)
		units = append(units, corrected.Unit{Cluster: i / 4, Machine: wrong, Gold: &m})
	}
	got, err := corrected.Share(shares)
	want := statistics.RatioOf(clusters)
	if err != nil || math.Abs(got.Value-want.Value) > 1e-12 || math.Abs(got.SE / *want.SE - 1) > 0.03 {
		t.Errorf("share %+v, error %v; want %v (%v)", got, err, want.Value, *want.SE)
	}
	fit, err := regression.LeastSquares([]string{"x"}, x, y)
	if err != nil {
		t.Fatal(err)
	}
	slopes, err := corrected.Solve(units)
	if err != nil || math.Abs(slopes[1].Value-fit.Terms[1].Beta) > 1e-10 || math.Abs(slopes[1].SE/fit.Terms[1].Test.SE-1) > 0.2 {
		t.Errorf("slope %+v, error %v; want %+v", slopes, err, fit.Terms[1])
	}
	if naive, err := corrected.Naive(units); err != nil || math.Abs(naive[1]-fit.Terms[1].Beta) < 0.3 {
		t.Errorf("labels without a relation to the truth have the slope %v, error %v", naive, err)
	}
}

// TestPerfectLabels: if the labeller never errs, gold adds nothing to its figures.
func TestPerfectLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	units := make([]corrected.ShareUnit, 300)
	shown := 0.0
	for i := range units {
		m := [2]float64{float64(r.IntN(2)), 1}
		shown += m[0]
		units[i] = corrected.ShareUnit{Cluster: i, Stratum: i % 2, Machine: m}
		if i%10 < 2 {
			units[i].Gold = &m
		}
	}
	got, err := corrected.Share(units)
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
	units := make([]corrected.ShareUnit, 600)
	for i := range units {
		units[i] = corrected.ShareUnit{Cluster: i, Machine: [2]float64{float64(r.IntN(2)), 1}}
		if i%4 == 0 {
			units[i].Gold = &[2]float64{float64(r.IntN(2)), 1}
		}
	}
	got, err := corrected.Share(units)
	if err != nil || got.Lambda > 0.25 || got.SE > 1.05*got.Alone.SE {
		t.Errorf("%+v, error %v", got, err)
	}
}

func TestTooLittle(t *testing.T) {
	gold, never := &[2]float64{1, 2}, &[2]float64{0, 2}
	for what, c := range map[string]struct {
		units []corrected.ShareUnit
		want  error
	}{
		"nothing":        {nil, corrected.ErrNoGold},
		"no gold":        {[]corrected.ShareUnit{{Machine: [2]float64{1, 2}}}, corrected.ErrNoGold},
		"one":            {[]corrected.ShareUnit{{Gold: gold}, {Cluster: 1}}, corrected.ErrFewGold},
		"one cluster":    {[]corrected.ShareUnit{{Gold: gold}, {Gold: gold}, {Cluster: 1}}, corrected.ErrFewGold},
		"a bare stratum": {[]corrected.ShareUnit{{Gold: gold}, {Cluster: 1, Gold: gold}, {Cluster: 1, Stratum: 1}}, corrected.ErrBareStratum},
		"never shown":    {[]corrected.ShareUnit{{Gold: &[2]float64{}}, {Cluster: 1, Gold: &[2]float64{}}}, corrected.ErrUnsettled},
		"next to never":  {[]corrected.ShareUnit{{Gold: gold}, {Cluster: 1, Gold: gold}, {Cluster: 2, Gold: never}, {Cluster: 3, Gold: never}, {Cluster: 4, Gold: never}}, corrected.ErrFewShown},
		"by one alone":   {[]corrected.ShareUnit{{Gold: gold}, {Cluster: 1, Gold: &[2]float64{}}}, corrected.ErrUnsettled},
	} {
		if got, err := corrected.Share(c.units); !errors.Is(err, c.want) {
			t.Errorf("%s: %+v, error %v, want %v", what, got, err, c.want)
		}
	}
	if _, err := corrected.Solve([]corrected.Unit{{Gold: &corrected.Moments{G: []float64{1}, B: []float64{1}}, Machine: corrected.Moments{G: []float64{1}, B: []float64{1, 2}}}}); err == nil {
		t.Error("moments of different sizes are solved")
	}
}
