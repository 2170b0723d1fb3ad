package figures

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	ink   = Ink
	faint = color.NRGBA{R: 0xbb, G: 0xbb, B: 0xbb, A: 0xff}
)

// palette is that of Okabe and Ito (2008), which colour-blind readers can tell
// apart, without its yellow, too pale for lines. Shapes and dashes tell more.
var palette = []color.NRGBA{
	{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}, {R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}, {R: 0x00, G: 0x9e, B: 0x73, A: 0xff},
	{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, {R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}, {R: 0xe6, G: 0x9f, B: 0x00, A: 0xff},
	{R: 0x55, G: 0x55, B: 0x55, A: 0xff},
}

var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{},
	draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{},
}

// style of the n-th line.
type style struct {
	color.Color
	line  draw.LineStyle
	glyph draw.GlyphStyle
}

func styleOf(n int) style {
	c := palette[n%len(palette)]
	s := style{
		Color: c,
		line:  draw.LineStyle{Color: c, Width: vg.Points(1.4)},
		glyph: draw.GlyphStyle{Color: c, Radius: vg.Points(2.6), Shape: shapes[n%len(shapes)]},
	}
	if n >= len(palette) {
		s.line.Dashes = []vg.Length{vg.Points(4), vg.Points(2)}
	}
	return s
}

// dashedStyle returns the style of a line that goes with the one of this style.
func (s style) dashedStyle() style {
	s.line.Width, s.line.Dashes = vg.Points(0.9), []vg.Length{vg.Points(3), vg.Points(2)}
	s.glyph.Radius = vg.Points(1.6)
	return s
}

// levelStyle returns dark dashes, those of each level of their own length, since no
// colour is left for them.
func levelStyle(n int) draw.LineStyle {
	dashes := [][]vg.Length{{6, 3}, {1.5, 2.5}, {8, 2, 1.5, 2}}
	return draw.LineStyle{Color: ink, Width: vg.Points(0.9), Dashes: dashes[n%len(dashes)]}
}

// plotStrokes returns a line with its intervals and points. Lines of a panel stand a
// little apart, so that no interval hides another. Points are joined
// unless the line has a track of its own, such as a fit, or observations around them.
func (l Line) plotStrokes(s scale, style style, i, of int) []plot.Plotter {
	joined := len(l.allSpots()) == 0
	shift := l.offsetAside(i, of)
	if len(l.Dots) > 0 { // points lie among them
		style.Color, style.glyph.Color = ink, ink
	}
	var list []plot.Plotter
	var run plotter.XYs
	end := func() {
		if joined && len(run) > 1 {
			list = append(list, &plotter.Line{XYs: run, LineStyle: style.line})
		}
		run = nil
	}
	var dots plotter.XYs
	for _, p := range l.Points {
		if p.Value == nil {
			end()
			continue
		}
		at := plotter.XY{X: p.horizontalPlace(shift), Y: *p.Value}
		run, dots = append(run, at), append(dots, at)
		if p.Low != nil {
			list = append(list, &plotter.Line{
				XYs:       plotter.XYs{{X: at.X, Y: s.clampInside(*p.Low)}, {X: at.X, Y: s.clampInside(*p.High)}},
				LineStyle: draw.LineStyle{Color: style.Color, Width: vg.Points(0.8)},
			})
		}
	}
	end()
	return append(append(list, l.plotTurn(s, style)...), &plotter.Scatter{XYs: dots, GlyphStyle: style.glyph})
}

// offsetAside returns by how much a line of a panel stands aside.
func (l Line) offsetAside(i, of int) float64 {
	return cmp.Or(l.beside, (float64(i)-float64(of-1)/2)*min(0.07, 0.6/float64(of)))
}

// plotTurn returns the interval of the number that turns an outcome, as a bar on the
// line of one half, and the number itself across it.
func (l Line) plotTurn(s scale, style style) []plot.Plotter {
	if l.Turn == nil {
		return nil
	}
	stroke := func(x0, y0, x1, y1 float64) plot.Plotter {
		return &plotter.Line{XYs: plotter.XYs{{X: x0, Y: y0}, {X: x1, Y: y1}},
			LineStyle: draw.LineStyle{Color: style.Color, Width: vg.Points(3)}}
	}
	at := float64(l.Turn.At)
	list := []plot.Plotter{stroke(at, 50-s.spanLength()*0.04, at, 50+s.spanLength()*0.04)}
	if l.Turn.Low > 0 {
		list = append(list, stroke(float64(l.Turn.Low), 50, float64(l.Turn.High), 50))
	}
	return list
}

// allSpots returns all places of a line that is not one of means.
func (l Line) allSpots() []Spot { return slices.Concat(l.Track, l.Dashes, l.Dots) }

func placesOf(spots []Spot) plotter.XYs {
	xy := make(plotter.XYs, len(spots))
	for i, s := range spots {
		xy[i] = plotter.XY{X: s.X, Y: s.Y}
	}
	return xy
}

// mostMarked is how many places of a track are marked by the line's own shape.
const mostMarked = 31

// plotWays returns a line's track, dashes and dots. A track in a plane shows no direction,
// so its ends are marked.
func (l Line) plotWays(plane bool, s style) []plot.Plotter {
	var list []plot.Plotter
	mark := func(spots []Spot, shape draw.GlyphDrawer, radius float64) {
		list = append(list, &plotter.Scatter{XYs: placesOf(spots),
			GlyphStyle: draw.GlyphStyle{Color: s.Color, Radius: vg.Points(radius), Shape: shape}})
	}
	if len(l.Dashes) > 0 {
		dashed := draw.LineStyle{Color: s.Color, Width: vg.Points(0.8), Dashes: []vg.Length{vg.Points(3), vg.Points(2)}}
		list = append(list, &plotter.Line{XYs: placesOf(l.Dashes), LineStyle: dashed})
	}
	if len(l.Track) > 0 {
		list = append(list, &plotter.Line{XYs: placesOf(l.Track), LineStyle: s.line})
	}
	if !plane && len(l.Track) <= mostMarked {
		list = append(list, &plotter.Scatter{XYs: placesOf(l.Track), GlyphStyle: s.glyph})
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
