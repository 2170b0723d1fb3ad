package figures

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Of the names at the ends of lines.
const (
	endSize   = 8                  // of their text
	endRoom   = 10 * vg.Length(1)  // from one to the next
	endsFrom  = 9 * vg.Length(1)   // from the axes to the mark
	endsName  = 6 * vg.Length(1)   // from the mark to the name
	mostEnds  = 10                 // lines of a panel
	widestEnd = 130 * vg.Length(1) // longer names are in a legend
)

// endsWidth returns the width of the names that stand at the ends of the lines, so that no
// reader has to look them up; 0 where they are too many or too long, or are not apart.
func (f Figure) endsWidth() vg.Length {
	var widest vg.Length
	for _, p := range f.Panels {
		var names []string
		for _, line := range p.Lines {
			if line.Beside != "" {
				continue
			}
			if p.Groups != nil || p.Plane || slices.Contains(names, line.Name) {
				return 0
			}
			names = append(names, line.Name)
			widest = max(widest, Words(endSize).Width(line.Name))
		}
		if len(names) > mostEnds || widest > widestEnd {
			return 0
		}
	}
	return widest + endsFrom + endsName + 2
}

// end is where a line ends, and what it is called.
type end struct {
	at    vg.Point // of its last point
	y     vg.Length
	style style
	name  string
}

// lastSpot returns where a line ends; false if nothing of it is drawn.
func (l Line) lastSpot(i, of int) (Spot, bool) {
	for _, p := range slices.Backward(l.Points) {
		if p.Value != nil {
			return Spot{p.horizontalPlace(l.offsetAside(i, of)), *p.Value}, true
		}
	}
	if spots := slices.Concat(l.Track, l.Dashes); len(spots) > 0 {
		return spots[len(spots)-1], true
	}
	return Spot{}, false
}

// nameEnds writes the names of a panel's lines right of its axes.
func (l layout) nameEnds(c draw.Canvas, a *plot.Plot, p Panel) {
	if l.ends == 0 {
		return
	}
	x, y := a.Transforms(&c)
	var ends []end
	for i, line := range p.Lines {
		if spot, ok := line.lastSpot(i, len(p.Lines)); ok && line.Beside == "" {
			at := vg.Point{X: x(spot.X), Y: y(spot.Y)}
			ends = append(ends, end{at: at, y: at.Y, style: l.styles[line.Name], name: line.Name})
		}
	}
	spreadEnds(ends, c.Min.Y, c.Max.Y)
	text := Words(endSize)
	text.YAlign = draw.YCenter
	for _, e := range ends {
		mark := vg.Point{X: c.Max.X + endsFrom, Y: e.y}
		leader := draw.LineStyle{Color: faint, Width: vg.Points(0.5)}
		c.StrokeLine2(leader, e.at.X+e.style.glyph.Radius, e.at.Y, mark.X-e.style.glyph.Radius, mark.Y)
		c.DrawGlyphNoClip(e.style.glyph, mark)
		c.FillText(text, vg.Point{X: mark.X + endsName, Y: mark.Y + Rise}, e.name)
	}
}

// spreadEnds moves names up and down until none meets another, within the axes.
func spreadEnds(ends []end, low, high vg.Length) {
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.y, b.y) })
	for i := range ends {
		if i > 0 {
			ends[i].y = max(ends[i].y, ends[i-1].y+endRoom)
		}
	}
	for i := len(ends) - 1; i >= 0; i-- {
		ends[i].y = min(ends[i].y, high-vg.Length(len(ends)-1-i)*endRoom)
		if i < len(ends)-1 {
			ends[i].y = min(ends[i].y, ends[i+1].y-endRoom)
		}
		ends[i].y = max(ends[i].y, low+vg.Length(i)*endRoom)
	}
}
