package statistics

import (
	"math"
	"slices"
	"testing"

	"roundtable/analysis/referencetest"
)

func TestErrorsReference(t *testing.T) {
	var ref struct {
		Errors struct {
			Gold       []float64
			Prediction []*float64
			N          int     `json:"n_defined"`
			MAE        float64 `json:"MAE"`
			RMSE       float64 `json:"RMSE"`
			SE         float64 `json:"MAE_se"`
			Missing    float64 `json:"MAE_missing_as_4"`
			AlwaysMAE  float64 `json:"always4_MAE"`
			AlwaysRMSE float64 `json:"always4_RMSE"`
		}
	}
	referencetest.Read(t, "nmf_reference.json", &ref)
	want := ref.Errors
	var runs, guessed, always4 []predictions
	four := 4.0
	for i, gold := range want.Gold {
		runs = append(runs, predictions{gold, []*float64{nil, want.Prediction[i]}})
		guessed = append(guessed, predictions{gold, []*float64{&four, want.Prediction[i]}})
		if want.Prediction[i] == nil {
			guessed[i].Rounds[1] = &four
		}
		always4 = append(always4, predictions{gold, []*float64{&four}})
	}
	e, always := ratingErrorsAt(runs, 2), ratingErrorsAt(always4, 2)
	if len(e) != want.N || len(e) == len(runs) {
		t.Errorf("%d runs have a decision, want %d", len(e), want.N)
	}
	isNear(t, "MAE", e.MAE, want.MAE)
	isNear(t, "RMSE", e.RMSE, want.RMSE)
	isNear(t, "SE", e.SE, want.SE)
	isNear(t, "MAE with missing as 4", ratingErrorsAt(guessed, 2).MAE, want.Missing)
	isNear(t, "MAE of always 4", always.MAE, want.AlwaysMAE)
	isNear(t, "RMSE of always 4", always.RMSE, want.AlwaysRMSE)
}

func isNear(t *testing.T, what string, got func() (float64, bool), want float64) {
	t.Helper()
	if v, ok := got(); !ok || !(math.Abs(v-want) <= 1e-9) {
		t.Errorf("%s is %v, %v; want %v", what, v, ok, want)
	}
}

func TestErrorsByHand(t *testing.T) {
	three, four, five := 3.0, 4.0, 5.0
	runs := []predictions{
		{Gold: 3, Rounds: []*float64{nil, &four, &five}}, // decided in round 2
		{Gold: 5, Rounds: []*float64{&three}},            // ended after round 1
		{Gold: 1, Rounds: []*float64{nil, nil, nil}},     // never decided
		{Gold: 2}, // nothing was run
	}
	for n, want := range map[int]RatingErrors{0: nil, 1: {2}, 2: {1, 2}, 3: {2, 2}, 9: {2, 2}} {
		if got := ratingErrorsAt(runs, n); !slices.Equal(got, want) {
			t.Errorf("round %d: errors %v, want %v", n, got, want)
		}
	}
	e := RatingErrors{1, 2}
	isNear(t, "MAE", e.MAE, 1.5)
	isNear(t, "RMSE", e.RMSE, math.Sqrt(2.5))
	isNear(t, "SE", e.SE, 0.5) // sd √½ over √2
}

func TestErrorsUndefined(t *testing.T) {
	var none RatingErrors
	for what, f := range map[string]func() (float64, bool){"MAE": none.MAE, "RMSE": none.RMSE, "SE": none.SE, "SE of one": RatingErrors{1}.SE} {
		if v, ok := f(); ok {
			t.Errorf("%s without enough errors is %v", what, v)
		}
	}
}

// The errors 1, 2, 3: squares 1, 4, 9 with mean 14/3 and variance 49/3.
func TestRMSEStandardError(t *testing.T) {
	isNear(t, "SE of RMSE", RatingErrors{1, 2, 3}.RMSESE, 7.0/3/(2*math.Sqrt(14.0/3)))
	for _, e := range []RatingErrors{nil, {1}, {0, 0, 0}} {
		if v, ok := e.RMSESE(); ok {
			t.Errorf("the RMSE of %v has a standard error, %v", e, v)
		}
	}
}

// predictions is one run's predicted rating in stars that stands at the end of each round; nil before the
// first decision. A run that ended early keeps its last one.
type predictions struct {
	Gold   float64 // the true rating
	Rounds []*float64
}

// ratingAt returns the rating that stands at the end of round n from 1; nil if there is none.
func (p predictions) ratingAt(n int) *float64 {
	if n < 1 || len(p.Rounds) == 0 {
		return nil
	}
	return p.Rounds[min(n, len(p.Rounds))-1]
}

// ratingErrorsAt returns the errors at round n of the runs with a decision by then (Figures 4 and 21, Table 7).
func ratingErrorsAt(runs []predictions, n int) RatingErrors {
	var e RatingErrors
	for _, run := range runs {
		if v := run.ratingAt(n); v != nil {
			e = append(e, math.Abs(*v-run.Gold))
		}
	}
	return e
}
