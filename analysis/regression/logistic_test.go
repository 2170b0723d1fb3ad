package regression_test

import (
	"math"
	"testing"

	"roundtable/analysis/regression"
)

// Figures of scikit-learn 1.9.1, LogisticRegression(C=1).
func TestLogistic(t *testing.T) {
	x := [][]float64{{.33, .33}, {.33, .67}, {.67, .67}, {1, 1}, {.67, 1}, {.33, .33}, {1, .67}, {.33, 1}, {.67, .33}, {1, 1}}
	y := []bool{false, false, true, true, false, false, true, true, false, true}
	beta, err := regression.Logistic(x, y, 1)
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{-0.87455628, 0.65352145, 0.65834578} {
		if math.Abs(beta[j]-want) > 1e-6 {
			t.Errorf("coefficient %d is %v, want %v", j, beta[j], want)
		}
	}
	if p := regression.Probability(beta, []float64{1, 1}); math.Abs(p-1/(1+math.Exp(-0.43731095))) > 1e-6 {
		t.Errorf("probability %v", p)
	}
	for name, fit := range map[string]func() ([]float64, error){
		"no rows":        func() ([]float64, error) { return regression.Logistic(nil, nil, 1) },
		"no ridge":       func() ([]float64, error) { return regression.Logistic(x, y, 0) },
		"fewer outcomes": func() ([]float64, error) { return regression.Logistic(x, y[:3], 1) },
		"one outcome":    func() ([]float64, error) { return regression.Logistic(x, make([]bool, len(x)), 1) },
	} {
		if beta, err := fit(); err == nil {
			t.Errorf("%s: %v", name, beta)
		}
	}
}
