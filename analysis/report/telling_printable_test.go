package report

import (
	"fmt"
	"math"
	"testing"
)

func TestRounded(t *testing.T) {
	for v, want := range map[float64]string{math.Copysign(0, -1): "0", -7e-15: "0", 3e-12: "0", -0.25: "-0.25", 71.756: "71.76"} {
		if got := fmt.Sprintf("%.4g", roundForPeople(v)); got != want {
			t.Errorf("%v is %s, want %s", v, got, want)
		}
	}
}
