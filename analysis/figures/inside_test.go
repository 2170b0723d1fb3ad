package figures

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"roundtable/analysis/acts"
)

// recorded returns what a drawing writes, and where it draws and writes outside of a picture. What is turned
// or moved, as names of vertical axes are, is left out.
func recorded(width, height vg.Length, paint func(draw.Canvas)) (texts []string, outside []vg.Point) {
	var c recorder.Canvas
	paint(draw.NewCanvas(&c, width, height))
	moved := []bool{false}
	look := func(p vg.Point) {
		if p.X < -1 || p.Y < -1 || p.X > width+1 || p.Y > height+1 || math.IsNaN(float64(p.X+p.Y)) {
			outside = append(outside, p)
		}
	}
	for _, a := range c.Actions {
		last := len(moved) - 1
		switch a := a.(type) {
		case *recorder.Push:
			moved = append(moved, moved[last])
		case *recorder.Pop:
			moved = moved[:last]
		case *recorder.Rotate, *recorder.Translate, *recorder.Scale:
			moved[last] = true
		case *recorder.FillString:
			if texts = append(texts, a.String); !moved[last] {
				look(a.Point)
			}
		case *recorder.Stroke:
			for _, p := range a.Path {
				if !moved[last] && p.Type != vg.CloseComp {
					look(p.Pos)
				}
			}
		}
	}
	return texts, outside
}

// Everything is drawn inside of its picture, all lines are named, and panels stand in two columns at most.
func TestAllIsInside(t *testing.T) {
	c := economy()
	for _, name := range []string{"utility-by-rule", "rounds", "message-length", "cost"} {
		if !slices.Contains(Names(), name) {
			continue
		}
		l, err := made(t, c, name).newLayout()
		if err != nil {
			t.Fatal(err)
		}
		texts, outside := recorded(l.width, l.height, l.draw)
		if len(outside) > 0 {
			t.Errorf("figure %s: %v of %v by %v", name, outside, l.width, l.height)
		}
		for _, line := range l.names {
			if all := strings.Join(texts, "\n"); !strings.Contains(all, strings.TrimSuffix(cutShort(line), decidedOnly)) {
				t.Errorf("figure %s does not name %q", name, line)
			}
		}
		if l.columns > 2 {
			t.Errorf("figure %s has %d columns", name, l.columns)
		}
	}
	f, err := MakeGraphs(c, labelled(c), "transitions", acts.Anyone)
	if err != nil {
		t.Fatal(err)
	}
	const width, height = 6 * vg.Inch, 5 * vg.Inch
	for _, g := range f.Graphs {
		texts, outside := recorded(width, height, g.draw)
		if len(outside) > 0 || len(g.Drawn) == 0 {
			t.Errorf("%s: %v", g.Title, outside)
		}
		for _, node := range acts.Nodes(g.Drawn) {
			if !slices.Contains(texts, node) {
				t.Errorf("%s: %s is not named in %q", g.Title, node, texts)
			}
		}
	}
}

// Panels that are asked for nothing else stand in two columns, and points of several lines apart around their number.
func TestPanelsAndPoints(t *testing.T) {
	f := made(t, economy(), "utility-by-rule")
	for len(f.Panels) < 5 {
		f.Panels = append(f.Panels, f.Panels[0])
	}
	f.columns = 0
	l, err := f.newLayout()
	if err != nil || l.columns != 2 || l.rows != 3 {
		t.Errorf("%d columns, %d rows, %v", l.columns, l.rows, err)
	}
	f.apartAcross()
	for _, p := range f.Panels {
		sum := 0.
		for i, line := range p.Lines {
			if sum += line.beside; i > 0 && line.beside <= p.Lines[i-1].beside {
				t.Errorf("line %d is not beside the one before", i)
			}
		}
		if math.Abs(sum) > 1e-9 {
			t.Errorf("lines stand %v beside their number", sum)
		}
	}
}

// A title is broken at a comma, or else where its panel ends, and cut only if two lines do not hold it.
func TestTitlesAreBroken(t *testing.T) {
	l := layout{panel: 2 * vg.Inch}
	width := Words(10).Width
	for n := 5; n < 80; n++ {
		title := strings.Repeat("x", n)
		first, rest, two := strings.Cut(l.breakTitle(title), "\n")
		switch {
		case !two:
			if width(title) > l.panel && n <= len(cutShort(title)) {
				t.Errorf("%d letters stay on one line", n)
			}
		case width(first) > l.panel || width(rest) > l.panel:
			t.Errorf("%q, %q are too wide", first, rest)
		case strings.HasSuffix(rest, "…") && cutShort(title) == title && width(title[len(first):]) <= l.panel:
			t.Errorf("%q is cut for nothing", title)
		}
	}
	if got, want := l.breakTitle("four agents of a kind, majority rule, two rounds"), "four agents of a kind,\nmajority rule, two rounds"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
