package figures

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
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

// Bars begin at 0, which the axis then has; dots, rows of a forest and lines do not.
func TestBarsBeginAt0(t *testing.T) {
	half, more := .5, .6
	for what, x := range map[string]struct {
		panel  Panel
		values []float64
		low    float64
	}{
		"bars": {Panel{Groups: []string{"a"}}, nil, 0}, "dots": {Panel{Groups: []string{"a"}}, []float64{.5, .6}, .5},
		"rows": {Panel{Groups: []string{"a"}, Forest: true}, nil, .5}, "lines": {Panel{}, nil, .5},
	} {
		x.panel.Y = "bias"
		x.panel.Lines = []Line{{Points: []Point{{Value: &half, Values: x.values}, {Value: &more, Values: x.values}}}}
		if s := (Figure{Panels: []Panel{x.panel}}).scale(); s.low != x.low || math.Abs(s.high-.6) > 1e-9 {
			t.Errorf("%s: the axis is from %v to %v", what, s.low, s.high)
		}
	}
}

// The band of percentages has an edge at its 100 %, with its caption between that and the values; names at an axis
// have the same room at both ends, and their bars are in it.
func TestBandsAndGroups(t *testing.T) {
	s := scale{low: 10, high: 20, step: 2, bars: true}
	at := map[string]float64{}
	for _, tick := range s.Ticks(0, 0) {
		at[tick.Label] = tick.Value
	}
	behind := layout{}.plotBehind(Panel{}, s, span{0.5, 3.5, true})
	edge, caption := behind[1].(*plotter.Line).XYs, behind[2].(*plotter.Labels)
	if edge[0].Y != at["100 %"] || edge[1].Y != at["100 %"] || edge[0].X != 0.5 || edge[1].X != 3.5 {
		t.Errorf("the edge is %v; ticks are at %v", edge, at)
	}
	if y := caption.XYs[0].Y; math.Abs(y-at["100 %"]-0.2) > 1e-9 || y >= behind[0].(*plotter.Line).XYs[0].Y {
		t.Errorf("the caption is at %v; ticks are at %v", y, at)
	}
	if at["0 %"] != s.lowestDrawn() || at["0 %"] >= at["50 %"] || at["50 %"] >= at["100 %"] || at["100 %"] >= s.low {
		t.Errorf("ticks are at %v", at)
	}
	if top := behind[0].(*plotter.Line).XYs[0].Y; math.Abs(s.low-top-0.2) > 1e-9 {
		t.Errorf("the band ends at %v, the values at %v", top, s.low)
	}
	one := Panel{Y: "score", Lines: []Line{{Points: []Point{{Round: 1}, {Round: 4}}}}}
	if drawn, x := (layout{}).drawAxes(one, scale{low: 0, high: 1, step: .2}), one.horizontalAxis(s); x.low != 0.5 || x.high != 4.5 || drawn.X.Min != x.low || drawn.X.Max != x.high {
		t.Errorf("four rounds lie from %v to %v, the axis from %v to %v", x.low, x.high, drawn.X.Min, drawn.X.Max)
	}
	a, names := plot.New(), groups{"a", "b", "c"}
	names.nameHorizontalAxis(a)
	ticks := names.Ticks(0, 0)
	if left, right := ticks[0].Value-a.X.Min, a.X.Max-ticks[2].Value; math.Abs(left-right) > 1e-9 || left != 0.6 {
		t.Errorf("the axis is from %v to %v, its names at %v", a.X.Min, a.X.Max, ticks)
	}
	bars := heights{Panel: Panel{Groups: names, Lines: []Line{{Points: []Point{{Group: "a"}, {Group: "c"}}}}}}
	for i, group := range []string{"a", "c"} {
		left, width := bars.placeIn(group)
		if middle := ticks[2*i].Value; math.Abs(left+width/2-middle) > 1e-9 || left < a.X.Min || left+width > a.X.Max {
			t.Errorf("%s, at %v, has a bar from %v to %v", group, middle, left, left+width)
		}
	}
}
