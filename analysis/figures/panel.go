package figures

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// scale is the vertical axis of a panel: values from low to high, and below
// them, if there are bars, a band of percentages.
type scale struct {
	low, high float64
	bars      bool
}

// scale returns the same for all panels, so that they can be compared. It holds all
// values and the ends of all intervals, as far as the measure can go.
func (f Figure) scale() scale {
	values, ends := f.drawn()
	s := scale{bars: f.Panels[0].Bars}
	least, most := limits(f.Panels[0].Y)
	if strings.Contains(f.Panels[0].Y, ", %") {
		s.high = max(100, slices.Max(append(values, 0)))
		return s
	}
	if len(values) == 0 {
		values = []float64{0, 1}
	}
	for _, end := range ends {
		values = append(values, min(max(end, least), most))
	}
	s.low, s.high = slices.Min(values), slices.Max(values)
	if room := max(0.5, math.Abs(s.high)/10); s.low == s.high {
		s.low, s.high = max(s.low-room, least), min(s.high+room, most)
	}
	return s
}

// measuring returns the figure with the panels of one measure alone.
func (f Figure) measuring(y string) Figure {
	f.Panels = slices.DeleteFunc(slices.Clone(f.Panels), func(p Panel) bool { return p.Y != y })
	return f
}

// drawn returns all values, and the ends of all intervals.
func (f Figure) drawn() (values, ends []float64) {
	for _, p := range f.Panels {
		for _, level := range p.Levels {
			values = append(values, level.Value)
		}
		for _, line := range p.Lines {
			for _, point := range line.Points {
				if point.Value != nil {
					values = append(values, *point.Value)
				}
				if values = append(values, point.Values...); p.Groups != nil && point.Values == nil {
					values = append(values, 0) // bars begin there
				}
				if point.Low != nil {
					ends = append(ends, *point.Low, *point.High)
				}
			}
			for _, spot := range line.spots() {
				if values = append(values, spot.Y); p.Plane {
					values = append(values, spot.X)
				}
			}
		}
	}
	return values, ends
}

func (s scale) span() float64 { return s.high - s.low }

// percent returns where a percentage is in the band.
func (s scale) percent(v float64) float64 { return s.low - s.span()*(0.46-0.31*v/100) }

// bottom returns the lowest point that is drawn.
func (s scale) bottom() float64 {
	if s.bars {
		return s.percent(0)
	}
	return s.low - s.span()*0.04
}

func (s scale) inside(v float64) float64 { return min(max(v, s.low), s.high) }

// Ticks returns the ticks of the values, and of the percentages below.
func (s scale) Ticks(_, _ float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(s.low, s.high)
	if !s.bars {
		return ticks
	}
	for _, v := range []float64{0, 50, 100} {
		ticks = append(ticks, plot.Tick{Value: s.percent(v), Label: strconv.Itoa(int(v)) + " %"})
	}
	return ticks
}

// span is a horizontal axis, with ticks at whole numbers if it is of rounds or agents.
type span struct {
	low, high float64
	whole     bool
}

// across returns the horizontal axis of a panel.
func (p Panel) across(s scale) span {
	if p.Plane { // as long for its unit as the vertical one
		half := s.span() * 0.59 * float64(panelWidth/panelHeight)
		return span{(s.low+s.high)/2 - half, (s.low+s.high)/2 + half, false}
	}
	if p.X == "" {
		last := 1
		for _, line := range p.Lines {
			for _, point := range line.Points {
				last = max(last, point.Round)
			}
		}
		return span{0.5, float64(last) + 0.5, true}
	}
	all := []float64{}
	for _, line := range p.Lines {
		for _, spot := range line.spots() {
			all = append(all, spot.X)
		}
		for _, point := range line.Points {
			all = append(all, float64(point.Round+point.Agents)+line.beside)
		}
	}
	low, high := slices.Min(all), slices.Max(all)
	room := max(0.02*(high-low), 0.1)
	return span{low - room, high + room, p.X != "seconds"}
}

// Ticks are at most about twelve.
func (s span) Ticks(low, high float64) []plot.Tick {
	if !s.whole {
		return plot.DefaultTicks{}.Ticks(low, high)
	}
	first, last := int(math.Ceil(low)), int(math.Floor(high))
	step := 1 + (last-first)/12
	var ticks []plot.Tick
	for n := first; n <= last; n++ {
		if (n-first)%step == 0 || n == last && (n-first)%step > step/2 {
			ticks = append(ticks, plot.Tick{Value: float64(n), Label: strconv.Itoa(n)})
		}
	}
	return ticks
}

// axes returns a panel, ready to be drawn.
func (l layout) axes(p Panel, s scale) *plot.Plot {
	a := plot.New()
	a.BackgroundColor = nil
	a.Title.Text, a.Title.TextStyle = broken(p.Title), words(10)
	a.Title.TextStyle.XAlign, a.Title.TextStyle.YAlign = draw.XCenter, draw.YTop // a second line goes down
	a.X.Label.Text, a.Y.Label.Text = cmp.Or(p.X, "round"), p.Y
	for _, axis := range []*plot.Axis{&a.X, &a.Y} {
		axis.Color, axis.Tick.Color, axis.Tick.Label.Color = ink, ink, ink
		axis.Label.TextStyle.Color, axis.Label.TextStyle.Font = ink, words(10).Font
		axis.Tick.Label.Font = words(9).Font
	}
	x := p.across(s)
	a.X.Min, a.X.Max, a.X.Tick.Marker = x.low, x.high, x
	a.Y.Min, a.Y.Max, a.Y.Tick.Marker = s.bottom(), s.high+s.span()*0.04, s
	a.Add(l.frame(p, s, x)...)
	if p.Groups != nil {
		groups(p.Groups).across(a)
	}
	slot, slots := 0, 0
	for _, line := range p.Lines {
		if line.Pending != nil { // dashed lines have no bars of their own
			slots++
		}
	}
	for i, line := range p.Lines {
		style := l.styles[line.Name]
		if p.Groups != nil {
			a.Add(heights{p, i, s, style.Color})
			continue
		}
		if line.Pending != nil {
			a.Add(bars{line.Pending, s, style.Color, slot, slots})
			slot++
		}
		a.Add(line.ways(p.Plane, style)...)
		a.Add(line.strokes(s, style, i, len(p.Lines))...)
	}
	return a
}

// frame returns what lies behind the lines: levels, and the edge of the band.
func (l layout) frame(p Panel, s scale, x span) []plot.Plotter {
	level := func(y float64, style draw.LineStyle) plot.Plotter {
		return &plotter.Line{XYs: plotter.XYs{{X: x.low, Y: y}, {X: x.high, Y: y}}, LineStyle: style}
	}
	var list []plot.Plotter
	if s.bars {
		edge := draw.LineStyle{Color: faint, Width: vg.Points(0.5)}
		list = append(list, level(s.low-s.span()*0.02, edge), level(s.percent(100), edge))
		caption := words(8)
		caption.Color = ink
		list = append(list, &plotter.Labels{
			XYs: plotter.XYs{{X: 0.55, Y: s.percent(100) + s.span()*0.02}}, Labels: []string{"not yet agreed, % of collaborations"}, TextStyle: textStyles(caption),
		})
	}
	for _, v := range p.Levels {
		list = append(list, level(v.Value, levelStyle(slices.Index(l.levels, v.Name))))
	}
	return list
}

// bars are one line's shares of collaborations without a decision.
type bars struct {
	list  []Pending
	scale scale
	color color.Color
	i, of int
}

func (b bars) Plot(c draw.Canvas, a *plot.Plot) {
	x, y := a.Transforms(&c)
	width := 0.8 / float64(b.of)
	for _, p := range b.list {
		left := float64(p.Round) - 0.4 + width*float64(b.i)
		box(c, b.color, x(left), x(left+width), y(b.scale.percent(0)), y(b.scale.percent(p.Percent)))
	}
}
