package figures

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
)

// curves are the longest run of joined points of each line, as it is drawn.
func curves(f Figure) (joined []int) {
	for _, p := range f.Panels {
		for i, line := range p.Lines {
			longest := 0
			for _, drawn := range line.plotStrokes(f.scale(), styleOf(i), i, len(p.Lines)) {
				if l, ok := drawn.(*plotter.Line); ok {
					longest = max(longest, len(l.XYs))
				}
			}
			joined = append(joined, longest)
		}
	}
	return joined
}

// Points over numbers of agents are joined as those over rounds are; a fit stands for itself.
func TestCurvesAreDrawn(t *testing.T) {
	if got := curves(made(t, pooled(), "viewpoints")); !slices.Equal(got, []int{5}) {
		t.Errorf("figure viewpoints joins %v points, want 5", got)
	}
	if got := curves(made(t, economy(), "utility-by-rule")); !slices.Equal(got, []int{3, 3, 3}) {
		t.Errorf("figure utility-by-rule joins %v points", got)
	}
	for i, n := range curves(made(t, sizes(), "discussion-by-rounds")) {
		if n > 2 {
			t.Errorf("line %d of figure discussion-by-rounds is joined, and has a fit", i)
		}
	}
}

// Intervals of two observations are wide. They are drawn within the axes and
// within what the measure can be: 0 to 100 %, at most 0, at least 0.
func TestIntervalsStayInside(t *testing.T) {
	for name, c := range map[string]campaign.Campaign{"utility-by-rule": economy(), "rating-errors": ratings(), "squared-rating-errors": ratings(), "debate-accuracy": debates(), "debate-repetitions": debates(), "debate-by-round": debates(), "viewpoints": pooled(), "message-length": economy()} {
		f := made(t, c, name)
		for _, p := range f.Panels {
			s := f.panelsMeasuring(p.Y).scale()
			low, high := limitsOf(p.Y)
			if s.low < low || s.high > high {
				t.Errorf("figure %s: the axis of %s is from %v to %v", name, p.Y, s.low, s.high)
			}
			for _, line := range p.Lines {
				for _, point := range line.Points {
					if point.Low == nil {
						continue
					}
					if a, b := s.clampInside(*point.Low), s.clampInside(*point.High); a < s.low || b > s.high || a != max(*point.Low, low) || b != min(*point.High, high) {
						t.Errorf("figure %s, %s: an interval from %v to %v is drawn from %v to %v", name, p.Y, *point.Low, *point.High, a, b)
					}
				}
			}
		}
	}
}

// Numbers are written after all arrows, so that no arrow strikes them through.
func TestProbabilitiesAreOnTop(t *testing.T) {
	c := economy()
	f, err := MakeGraphs(c, labelled(c), "transitions", acts.Anyone)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b, "svg"); err != nil {
		t.Fatal(err)
	}
	svg := b.String()
	if first, last := strings.Index(svg, ">1.00<"), strings.LastIndex(svg, "Q"); first < 0 || last < 0 || first < last {
		t.Errorf("an arrow is drawn (at %d) after a number (at %d)", last, first)
	}
}
