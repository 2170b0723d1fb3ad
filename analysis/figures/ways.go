package figures

import (
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// spots returns all places of a line that is not one of means.
func (l Line) spots() []Spot { return slices.Concat(l.Track, l.Dashes, l.Dots) }

func places(spots []Spot) plotter.XYs {
	xy := make(plotter.XYs, len(spots))
	for i, s := range spots {
		xy[i] = plotter.XY{X: s.X, Y: s.Y}
	}
	return xy
}

// mostMarked is how many places of a track are marked by the line's own shape.
const mostMarked = 31

// ways returns a line's track, dashes and dots. In a plane a track has no direction
// of its own, so its ends are marked.
func (l Line) ways(plane bool, s style) []plot.Plotter {
	var list []plot.Plotter
	mark := func(spots []Spot, shape draw.GlyphDrawer, radius float64) {
		list = append(list, &plotter.Scatter{XYs: places(spots), GlyphStyle: draw.GlyphStyle{Color: s.Color, Radius: vg.Points(radius), Shape: shape}})
	}
	if len(l.Dashes) > 0 {
		dashed := draw.LineStyle{Color: s.Color, Width: vg.Points(0.8), Dashes: []vg.Length{vg.Points(3), vg.Points(2)}}
		list = append(list, &plotter.Line{XYs: places(l.Dashes), LineStyle: dashed})
	}
	if len(l.Track) > 0 {
		list = append(list, &plotter.Line{XYs: places(l.Track), LineStyle: s.line})
	}
	if !plane && len(l.Track) <= mostMarked {
		list = append(list, &plotter.Scatter{XYs: places(l.Track), GlyphStyle: s.glyph})
	}
	switch {
	case plane && len(l.Track) > 0:
		mark(l.Dots, draw.CrossGlyph{}, 2.5)
		mark(l.Track[:1], draw.RingGlyph{}, 4)
		mark(l.Track[len(l.Track)-1:], draw.CircleGlyph{}, 3)
	case len(l.Dots) > 0:
		mark(l.Dots, draw.CircleGlyph{}, 0.9)
	}
	return list
}
