package predictions

import (
	"math"
	"math/rand/v2"
	"testing"

	"roundtable/analysis/lake/record"
)

func cell(condition string, calls int32, cost float64) record.Collaboration {
	return record.Collaboration{Key: record.Key{ConditionID: condition}, Status: "succeeded", Calls: calls,
		InputTokens: int64(calls) * 100, OutputTokens: int64(calls) * 10, CostUSD: &cost, EndedAt: int64(calls) * 1e6}
}

// By hand: pooled variance ((4−5)²+(6−5)²+(9−10)²+(11−10)²)/2 = 2; 10 cells
// each, 8 left: 2·2·(8²/2 + 8) = 160; t(0.975, 2) = 4.302653.
func TestForecastPilot(t *testing.T) {
	pilot := []record.Collaboration{cell("a", 4, 0.4), cell("a", 6, 0.6), cell("b", 9, 0.9), cell("b", 11, 1.1)}
	f, ok := forecastPilot(pilot, map[string]int{"a": 10, "b": 10})
	half := 4.302652729749464 * math.Sqrt(160)
	if !ok || f.Calls.Mean != 150 || math.Abs(f.Calls.High-150-half) > 1e-6 || math.Abs(f.Calls.Low-150+half) > 1e-6 {
		t.Errorf("calls %+v, want 150 ± %v", f.Calls, half)
	}
	if f.InputTokens.Mean != 15000 || f.OutputTokens.Mean != 1500 || math.Abs(f.CostUSD.Mean-15) > 1e-9 || f.Seconds.Mean != 150 {
		t.Errorf("got %+v", f)
	}
}

func TestTooLittleToTell(t *testing.T) {
	failed := cell("b", 1, 1)
	failed.Status = "failed"
	if _, ok := forecastPilot([]record.Collaboration{cell("a", 1, 1), failed}, map[string]int{"a": 1, "b": 1}); ok {
		t.Error("a condition without a cell was extrapolated")
	}
	unknown := cell("a", 1, 1)
	unknown.CostUSD = nil
	f, ok := forecastPilot([]record.Collaboration{unknown}, map[string]int{"a": 5})
	if !ok || f.CostUSD != nil || f.Calls.Mean != 5 || !math.IsInf(f.Calls.High, 1) {
		t.Errorf("one cell of unknown cost gives %+v", f)
	}
}

// The interval holds the truth about as often as it says.
func TestCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const n, trials = 100, 2000
	hits := 0
	for range trials {
		truth := 0.0
		var pilot []record.Collaboration
		for i := range 2 * n {
			condition := []string{"a", "b"}[i%2]
			calls := int32(100 + 50*(i%2) + int(rng.NormFloat64()*10))
			truth += float64(calls)
			if i < 8 {
				pilot = append(pilot, cell(condition, calls, 1))
			}
		}
		f, _ := forecastPilot(pilot, map[string]int{"a": n, "b": n})
		if f.Calls.Low <= truth && truth <= f.Calls.High {
			hits++
		}
	}
	if rate := float64(hits) / trials; rate < 0.93 || rate > 0.97 {
		t.Errorf("%.1f %% of the 95 %% intervals hold the truth", 100*rate)
	}
}
