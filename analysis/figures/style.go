package figures

import (
	"cmp"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	ink        = color.NRGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff}
	faint      = color.NRGBA{R: 0xbb, G: 0xbb, B: 0xbb, A: 0xff}
	warningInk = color.NRGBA{R: 0xb0, A: 0xff}
)

// palette is that of Okabe and Ito (2008), which colour-blind readers can tell
// apart, without its yellow, too pale for lines. Shapes and dashes tell more.
var palette = []color.NRGBA{
	{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}, {R: 0xd5, G: 0x5e, B: 0x00, A: 0xff}, {R: 0x00, G: 0x9e, B: 0x73, A: 0xff},
	{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff}, {R: 0x56, G: 0xb4, B: 0xe9, A: 0xff}, {R: 0xe6, G: 0x9f, B: 0x00, A: 0xff},
	{R: 0x55, G: 0x55, B: 0x55, A: 0xff},
}

var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{},
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

// dashed returns the style of a line that goes with the one of this style.
func (s style) dashed() style {
	s.line.Width, s.line.Dashes = vg.Points(0.9), []vg.Length{vg.Points(3), vg.Points(2)}
	s.glyph.Radius = vg.Points(1.6)
	return s
}

// levelStyle returns red for the first level, as in the paper's Figure 3, and then green.
func levelStyle(n int) draw.LineStyle {
	colors := []color.NRGBA{{R: 0xc0, A: 0xff}, {G: 0x80, A: 0xff}, ink}
	return draw.LineStyle{Color: colors[n%len(colors)], Width: vg.Points(1), Dashes: []vg.Length{vg.Points(6), vg.Points(3)}}
}

// strokes returns a line with its intervals and points. Lines of a panel stand a
// little apart, so that no interval hides another. Points are joined
// unless the line has a track of its own, such as a fit, or observations around them.
func (l Line) strokes(s scale, style style, i, of int) []plot.Plotter {
	joined := len(l.spots()) == 0
	beside := cmp.Or(l.beside, (float64(i)-float64(of-1)/2)*min(0.07, 0.6/float64(of)))
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
		at := plotter.XY{X: float64(p.Round+p.Agents) + beside, Y: *p.Value}
		run, dots = append(run, at), append(dots, at)
		if p.Low != nil {
			list = append(list, &plotter.Line{
				XYs:       plotter.XYs{{X: at.X, Y: s.inside(*p.Low)}, {X: at.X, Y: s.inside(*p.High)}},
				LineStyle: draw.LineStyle{Color: style.Color, Width: vg.Points(0.8)},
			})
		}
	}
	end()
	return append(append(list, l.turn(s, style)...), &plotter.Scatter{XYs: dots, GlyphStyle: style.glyph})
}

// turn returns the interval of the number that turns an outcome, as a bar on the
// line of one half, and the number itself across it.
func (l Line) turn(s scale, style style) []plot.Plotter {
	if l.Turn == nil {
		return nil
	}
	stroke := func(x0, y0, x1, y1 float64) plot.Plotter {
		return &plotter.Line{XYs: plotter.XYs{{X: x0, Y: y0}, {X: x1, Y: y1}}, LineStyle: draw.LineStyle{Color: style.Color, Width: vg.Points(3)}}
	}
	at := float64(l.Turn.At)
	list := []plot.Plotter{stroke(at, 50-s.span()*0.04, at, 50+s.span()*0.04)}
	if l.Turn.Low > 0 {
		list = append(list, stroke(float64(l.Turn.Low), 50, float64(l.Turn.High), 50))
	}
	return list
}

// key returns the legend of all panels.
func (l layout) key() plot.Legend {
	legend := plot.NewLegend()
	legend.Top, legend.Left, legend.Padding, legend.TextStyle = true, true, vg.Points(3), words(9)
	legend.YPosition = draw.PosCenter
	for _, name := range l.names {
		style := l.styles[name]
		if l.Panels[0].Groups != nil {
			legend.Add(short(name), l.Panels[0].swatch(style.Color))
			continue
		}
		legend.Add(short(name), &plotter.Line{LineStyle: style.line}, &plotter.Scatter{GlyphStyle: style.glyph})
	}
	for i, name := range l.levels {
		legend.Add(short(name), &plotter.Line{LineStyle: levelStyle(i)})
	}
	return legend
}

func textStyles(s text.Style) []text.Style { return []text.Style{s} }
