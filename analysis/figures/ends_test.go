package figures

import (
	"bytes"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"roundtable/analysis/campaign"
)

// Names at the ends of lines that meet stand apart, in the order of the lines, within the axes.
func TestNamesAtEndsStandApart(t *testing.T) {
	for _, heights := range [][]vg.Length{{50, 50, 50, 51}, {0, 0, 1}, {99, 100, 100}, {20, 60, 62, 98}, {50}} {
		var ends []end
		for _, y := range heights {
			ends = append(ends, end{y: y})
		}
		spreadEnds(ends, 0, 100)
		for i, e := range ends {
			if e.y < 0 || e.y > 100 {
				t.Errorf("%v: a name at %v", heights, e.y)
			}
			if i > 0 && e.y-ends[i-1].y < endRoom-1e-6 {
				t.Errorf("%v: names at %v and %v", heights, ends[i-1].y, e.y)
			}
		}
	}
}

// Lines are named where they end; what is the same of all stands in the legend once.
func TestLinesAreNamedAtTheirEnds(t *testing.T) {
	f := made(t, economy(), "rounds")
	l, err := f.newLayout()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range l.key.entries {
		names = append(names, e.name)
	}
	if got := strings.Join(names, "; "); l.ends == 0 || got != "decided only" {
		t.Errorf("the legend has %q", got)
	}
	svg, err := f.Inline()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(svgTexts(t, svg), "majority"); n != 2 { // one a panel
		t.Errorf("majority is written %d times", n)
	}
	long := campaign.Campaign{Name: "made-up", Runs: []campaign.Run{run(campaign.Exchange, "majority", strings.Repeat("long ", 20), 0, .5), run(campaign.Exchange, "majority", "b", 0, .5)}}
	if l, err := made(t, long, "utility-by-model").newLayout(); err != nil || l.ends != 0 || len(l.key.entries) != 3 { // two models and Umax
		t.Errorf("names that are too long are not in the legend: %+v, %v", l.key.entries, err)
	}
	if bars := made(t, debates(), "debate-accuracy"); bars.endsWidth() != 0 {
		t.Error("bars have ends")
	}
}

// Laid out for a column, a figure has its width, one panel a row, and no text beyond it.
func TestFiguresFitAColumn(t *testing.T) {
	for _, name := range []string{"utility-by-rule", "rounds", "message-length"} {
		for width, columns := range map[vg.Length]int{85 * vg.Millimeter: 1, 180 * vg.Millimeter: 2} {
			f := made(t, economy(), name).Fit(width)
			l, err := f.newLayout()
			if err != nil {
				t.Fatal(err)
			}
			if got := l.width * vg.Length(l.zoom); got-width > 1e-6 || width-got > 1e-6 || l.columns != columns {
				t.Errorf("%s: %v wide in %d columns, want %v in %d", name, got, l.columns, width, columns)
			}
			for _, format := range []string{"svg", "pdf"} {
				var b bytes.Buffer
				if err := f.Write(&b, format); err != nil || b.Len() == 0 {
					t.Errorf("%s as %s: %v", name, format, err)
				}
			}
		}
	}
}
