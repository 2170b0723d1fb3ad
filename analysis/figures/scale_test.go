package figures

import (
	"fmt"
	"testing"
)

// ticksOf returns the labels of a scale's values.
func ticksOf(s scale) (labels []string) {
	for _, tick := range s.valueTicks() {
		labels = append(labels, tick.Label)
	}
	return labels
}

// measured by one point with its interval, on an axis of a name.
func axis(y string, low, value, high float64) scale {
	point := Point{Round: 1, Value: &value, Low: &low, High: &high, N: 2}
	return Figure{Panels: []Panel{{Y: y, Lines: []Line{{Name: "a", Points: []Point{point}}}}}}.scale()
}

// Axes begin and end at round numbers, and shares have the whole of theirs.
func TestTicksAreRound(t *testing.T) {
	for _, x := range []struct {
		y                string
		low, value, high float64
		want             string
	}{
		{"accuracy, 0 to 1", .71, .74, .77, "[0.0 0.2 0.4 0.6 0.8 1.0]"},
		{"total utility, % of Umax", -3, 50, 103, "[0 20 40 60 80 100]"},
		{"accuracy in %", 61.3, 66, 70.2, "[60 62 64 66 68 70 72]"},
		{"accuracy in %", 88, 97, 106, "[88 90 92 94 96 98 100]"},
		{"MAE, stars", .83, .9, .97, "[0.80 0.85 0.90 0.95 1.00]"},
		{"minus the absolute error, 0 or less", -1.32, -1.02, -.4, "[−1.4 −1.2 −1.0 −0.8 −0.6 −0.4]"},
		{"words per message", 112, 140, 180, "[100 120 140 160 180]"},
		{"bias", -12, 3, 21, "[−20 −10 0 10 20 30]"},
	} {
		s := axis(x.y, x.low, x.value, x.high)
		if got := fmt.Sprint(ticksOf(s)); got != x.want {
			t.Errorf("%s from %v to %v: ticks %s, want %s", x.y, x.low, x.high, got, x.want)
		}
		if n := len(s.valueTicks()); n < 4 || n > 9 {
			t.Errorf("%s has %d ticks", x.y, n)
		}
	}
}

func TestAxisNames(t *testing.T) {
	for y, want := range map[string]string{"score, 0 to 1": "score", "score, 0 or less": "score", "MAE, stars": "MAE, stars"} {
		if got := axisName(y); got != want {
			t.Errorf("%q is written as %q", y, got)
		}
	}
}
