package joint

import "testing"

// Sums of two decimals are read by models: they must not show binary fractions.
func TestTidy(t *testing.T) {
	a, b := 11.2, 22.4
	for v, want := range map[float64]float64{a + b: 33.6, 0: 0, 1e12: 1e12, 0.125: 0.125} {
		if got := Tidy(v); got != want {
			t.Errorf("Tidy(%v) = %v", v, got)
		}
	}
}
