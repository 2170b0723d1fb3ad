package figures

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// span is a horizontal axis, with ticks at whole numbers if it is of rounds or agents.
type span struct {
	low, high float64
	whole     bool
}

// horizontalAxis returns the horizontal axis of a panel.
func (p Panel) horizontalAxis(s scale) span {
	if p.Plane { // as long for its unit as the vertical one
		half := s.spanLength() * 0.59 * float64(panelShape)
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
		for _, spot := range line.allSpots() {
			all = append(all, spot.X)
		}
		for _, point := range line.Points {
			all = append(all, point.horizontalPlace(line.beside))
		}
	}
	low, high := slices.Min(all), slices.Max(all)
	if p.Amount {
		room := cmp.Or(0.05*(high-low), 0.1*high)
		return span{max(0, low-room), high + room, false}
	}
	room := max(0.02*(high-low), 0.1)
	return span{low - room, high + room, p.X != "seconds"}
}

// Ticks are at most about twelve.
func (s span) Ticks(low, high float64) []plot.Tick {
	if !s.whole {
		return scale{low: low, high: high, step: stepOf(high - low)}.valueTicks()
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

// narrowSpan is a span with no more ticks than fit on its width with their numbers.
type narrowSpan struct {
	span
	width vg.Length
}

// Ticks widens the step of the span's ticks until their numbers do not touch.
func (s narrowSpan) Ticks(low, high float64) []plot.Tick {
	ticks := s.span.Ticks(low, high)
	for times := 2.; !s.whole && len(ticks) > 1 && numbersWidth(ticks) > s.width; times++ {
		ticks = scale{low: low, high: high, step: stepOf(times * (high - low))}.valueTicks()
	}
	return ticks
}

// numbersWidth returns how wide the numbers of an axis are, with a space before each.
func numbersWidth(ticks []plot.Tick) (sum vg.Length) {
	for _, tick := range ticks {
		sum += Words(9).Width(tick.Label) + gap
	}
	return sum
}

// drawAxes returns a panel, ready to be drawn.
func (l layout) drawAxes(p Panel, s scale) *plot.Plot {
	a := plot.New()
	a.BackgroundColor = nil
	a.Title.Text, a.Title.TextStyle = l.breakTitle(p.Title), Words(10)
	a.Title.TextStyle.XAlign, a.Title.TextStyle.YAlign = draw.XCenter, draw.YTop // a second line goes down
	a.X.Label.Text, a.Y.Label.Text = cmp.Or(p.X, "round"), axisName(p.Y)
	for _, axis := range []*plot.Axis{&a.X, &a.Y} {
		axis.Color, axis.Tick.Color, axis.Tick.Label.Color = Ink, Ink, Ink
		axis.Label.TextStyle.Color, axis.Label.TextStyle.Font = Ink, Words(10).Font
		axis.Tick.Label.Font = Words(9).Font
	}
	x := p.horizontalAxis(s)
	a.X.Min, a.X.Max, a.X.Tick.Marker = x.low, x.high, narrowSpan{x, l.panel - l.ends}
	a.Y.Min, a.Y.Max, a.Y.Tick.Marker = s.lowestDrawn(), s.high+s.spanLength()*0.04, s
	a.Add(l.plotBehind(p, s, x)...)
	if p.Groups != nil {
		groups(p.Groups).nameHorizontalAxis(a)
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
		a.Add(line.plotWays(p.Plane, style)...)
		a.Add(line.plotStrokes(s, style, i, len(p.Lines))...)
	}
	return a
}

// plotBehind returns what lies behind the lines: levels, and the edge of the band.
func (l layout) plotBehind(p Panel, s scale, x span) []plot.Plotter {
	level := func(y float64, style draw.LineStyle) plot.Plotter {
		return &plotter.Line{XYs: plotter.XYs{{X: x.low, Y: y}, {X: x.high, Y: y}}, LineStyle: style}
	}
	var list []plot.Plotter
	if s.bars {
		edge := draw.LineStyle{Color: faint, Width: vg.Points(0.5)}
		list = append(list, level(s.low-s.spanLength()*0.02, edge), level(s.percentAt(100), edge))
		caption := Words(8)
		list = append(list, &plotter.Labels{
			XYs:    plotter.XYs{{X: 0.55, Y: s.percentAt(100) + s.spanLength()*0.02}},
			Labels: []string{"not yet agreed, % of collaborations"}, TextStyle: []text.Style{caption},
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
		if p.Percent == 0 {
			continue // a PDF would show a line
		}
		left := float64(p.Round) - 0.4 + width*float64(b.i)
		drawBox(c, b.color, x(left), x(left+width), y(b.scale.percentAt(0)), y(b.scale.percentAt(p.Percent)))
	}
}
