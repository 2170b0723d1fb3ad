package figures

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// groups is a horizontal axis of names, at 1, 2, …
type groups []string

func (g groups) Ticks(_, _ float64) []plot.Tick {
	var ticks []plot.Tick
	for i, name := range g {
		if r := []rune(name); len(r) > longestTick {
			name = string(r[:longestTick-1]) + "…"
		}
		ticks = append(ticks, plot.Tick{Value: float64(i + 1), Label: name})
	}
	return ticks
}

// longestTick is how many letters of a name fit below the axis.
const longestTick = 40

// nameHorizontalAxis makes names the horizontal axis, aslant so that they do not meet.
func (g groups) nameHorizontalAxis(a *plot.Plot) {
	a.X.Min, a.X.Max, a.X.Tick.Marker = 0.4, float64(len(g))+0.6, g
	a.X.Label.Text = ""
	a.X.Tick.Length = 4
	a.X.Tick.Label.Rotation, a.X.Tick.Label.XAlign, a.X.Tick.Label.YAlign = math.Pi/6, draw.XRight, draw.YTop
}

// heights are the bars of one line, from 0 to its values, with what lies around
// them. The lines that have a bar in a group share its width.
type heights struct {
	Panel
	i     int // the line
	scale scale
	color color.Color
}

// placeIn returns where in its group the line's bar stands.
func (h heights) placeIn(group string) (left, width float64) {
	before, all := 0, 0
	for i, line := range h.Lines {
		if slices.ContainsFunc(line.Points, func(p Point) bool { return p.Group == group }) {
			if all++; i < h.i {
				before++
			}
		}
	}
	width = min(0.5, 0.8/float64(all))
	return float64(slices.Index(h.Groups, group)+1) + width*(float64(before)-float64(all)/2), width
}

func (h heights) Plot(c draw.Canvas, a *plot.Plot) {
	x, y := a.Transforms(&c)
	for _, p := range h.Lines[h.i].Points {
		if p.Value == nil {
			continue
		}
		left, width := h.placeIn(p.Group)
		if p.Values != nil {
			h.drawDots(c, a, p, left, width)
		} else {
			drawBox(c, h.color, x(left), x(left+width), y(0), y(*p.Value))
			edge := draw.LineStyle{Color: ink, Width: vg.Points(0.5)} // what is 0 is seen too
			c.StrokeLine2(edge, x(left), y(*p.Value), x(left+width), y(*p.Value))
		}
		if p.Low != nil {
			whisker := draw.LineStyle{Color: ink, Width: vg.Points(1)}
			c.StrokeLine2(whisker, x(left+width/2), y(h.scale.clampInside(*p.Low)), x(left+width/2),
				y(h.scale.clampInside(*p.High)))
		}
	}
}

// drawDots draws the single values of a point side by side, and their mean across them.
func (h heights) drawDots(c draw.Canvas, a *plot.Plot, p Point, left, width float64) {
	x, y := a.Transforms(&c)
	glyph := dotStyle(h.color)
	for i, v := range p.Values {
		c.DrawGlyph(glyph, vg.Point{X: x(left + width*(0.1+0.8*spread(i))), Y: y(v)})
	}
	mean := draw.LineStyle{Color: ink, Width: vg.Points(1.4)}
	c.StrokeLine2(mean, x(left+width*0.3), y(*p.Value), x(left+width*0.7), y(*p.Value))
}

// spread returns places from 0 to 1 that lie evenly, however many there are: the golden ratio's.
func spread(i int) float64 {
	_, at := math.Modf(float64(i) * math.Phi)
	return at
}

func drawBox(c draw.Canvas, color color.Color, left, right, bottom, top vg.Length) {
	c.FillPolygon(color, []vg.Point{{X: left, Y: bottom}, {X: left, Y: top}, {X: right, Y: top}, {X: right, Y: bottom}})
}

func dotStyle(color color.Color) draw.GlyphStyle {
	return draw.GlyphStyle{Color: color, Radius: vg.Points(1.8), Shape: draw.CircleGlyph{}}
}

// swatchOf returns what stands in the legend for a line: a dot where the panel
// shows single values, else a bar.
func (p Panel) swatchOf(color color.Color) plot.Thumbnailer {
	for _, line := range p.Lines {
		if slices.ContainsFunc(line.Points, func(p Point) bool { return p.Values != nil }) {
			return &plotter.Scatter{GlyphStyle: dotStyle(color)}
		}
	}
	return &plotter.BarChart{Color: color}
}
