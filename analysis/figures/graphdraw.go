package figures

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"roundtable/analysis/acts"
)

// Of the drawing of one graph.
const (
	graphSide     = 4.6 * vg.Inch
	narrowestSide = 4 * vg.Inch // of one that stands next to another
	boxWidth      = 66 * vg.Length(1)
	boxHeight     = 19 * vg.Length(1)
	tip           = 7 * vg.Length(1)
)

// Write draws the graphs on white in format: svg, png or pdf, or writes them for Graphviz.
func (f Graphs) Write(w io.Writer, format string) error {
	if format == "dot" {
		for _, g := range f.Graphs {
			if _, err := io.WriteString(w, acts.DOT(f.headingOf(g), g.Drawn)); err != nil {
				return err
			}
		}
		return nil
	}
	s, err := f.newSheet()
	if err != nil {
		return err
	}
	return s.Write(w, format)
}

// Inline returns the figure as an SVG element with a transparent background, for a page.
func (f Graphs) Inline() (string, error) {
	s, err := f.newSheet()
	if err != nil {
		return "", err
	}
	return s.Inline()
}

func (f Graphs) headingOf(g Graph) string {
	title := fmt.Sprintf("%s (n = %d), labelled by %s", g.Title, g.N, f.Labeller)
	if f.simulated != "" {
		title += " – " + f.simulated
	}
	return title
}

func (f Graphs) newSheet() (Sheet, error) {
	if n := len(f.Graphs); n == 0 || n > mostPanels {
		return Sheet{}, TooLarge{f.Name, fmt.Sprintf("%d graphs", n), fmt.Sprintf("1 to %d", mostPanels)}
	}
	columns, side, zoom := min(2, len(f.Graphs)), graphSide, 1.
	width := max(vg.Length(columns)*side, 6.5*vg.Inch) + 2*gap
	if f.print > 0 {
		zoom = forPrint
		width = f.print / vg.Length(zoom)
		columns = max(1, min(columns, int((width-2*gap)/narrowestSide)))
		side = (width - 2*gap) / vg.Length(columns)
	}
	rows := (len(f.Graphs) + columns - 1) / columns
	frame := Frame{Title: f.Title, Simulated: f.simulated,
		Caption: "Labelled by " + f.Labeller +
			". Edges: probability that the act is answered with the other one in the next round (" + string(f.Reading) +
			"), standard error."}
	head, foot := frame.Head(width), frame.Foot(width)
	return Sheet{
		Width:  width,
		Height: vg.Length(rows)*(min(side, graphSide)+lineHeight) + head + foot,
		Zoom:   zoom,
		Draw: func(c draw.Canvas) {
			frame.Draw(c)
			tiles := draw.Tiles{Rows: rows, Cols: columns}
			within := draw.Crop(c, gap, -gap, foot, -head)
			for i, g := range f.Graphs {
				g.draw(tiles.At(within, i%columns, i/columns))
			}
		},
	}, nil
}

// draw puts the acts on a circle, clockwise from Start at the top. Edges bend to
// the right of their direction, so that two opposite ones part.
func (g Graph) draw(c draw.Canvas) {
	title := Words(10)
	title.XAlign = draw.XCenter
	c.FillText(title, vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Max.Y - lineHeight},
		Cut(fmt.Sprintf("%s (n = %d)", g.Title, g.N), 10, c.Max.X-c.Min.X))
	middle := vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: (c.Min.Y + c.Max.Y - lineHeight) / 2}
	radius := min((c.Max.X-c.Min.X-boxWidth)/2-2, (c.Max.Y-c.Min.Y-lineHeight-boxHeight)/2-gap, 1.72*vg.Inch)
	names := acts.Nodes(g.Drawn)
	at := map[string]vg.Point{}
	for i, name := range names {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(names)))
		at[name] = vg.Point{X: middle.X + radius*vg.Length(sin), Y: middle.Y + radius*vg.Length(cos)}
	}
	for _, e := range g.Drawn {
		drawArrow(c, at[e.From], at[e.To], e)
	}
	for i, p := range placeNumbers(g.Drawn, at) { // after all arrows, so that none strikes a number through
		drawBox(c, color.White, p.Min.X, p.Max.X, p.Min.Y, p.Max.Y)
		c.FillText(numberStyle(), p.Min.Add(p.Max).Scale(0.5).Add(vg.Point{Y: Rise}), g.Drawn[i].String())
	}
	label := Words(9)
	label.XAlign, label.YAlign = draw.XCenter, draw.YCenter
	for _, name := range names {
		outlineAt(c, at[name])
		c.FillText(label, at[name].Add(vg.Point{Y: Rise}), name)
	}
}

// outlineAt of a box around a point.
func outlineAt(c draw.Canvas, p vg.Point) {
	corner := func(x, y vg.Length) vg.Point { return vg.Point{X: p.X + x*boxWidth/2, Y: p.Y + y*boxHeight/2} }
	c.StrokeLines(draw.LineStyle{Color: ink, Width: vg.Points(0.9)},
		[]vg.Point{corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)})
}

// curveBetween of an edge: where it starts, the point that bends it, and where it ends.
func curveBetween(from, to vg.Point) (start, bend, end vg.Point) {
	d := to.Sub(from)
	bend = from.Add(to).Scale(0.5).Add(vg.Point{X: d.Y, Y: -d.X}.Scale(0.14))
	return leave(from, bend), bend, leave(to, bend)
}

// drawArrow from box to box, as wide as the edge is probable.
func drawArrow(c draw.Canvas, from, to vg.Point, e acts.Edge) {
	start, bend, end := curveBetween(from, to)
	back := end.Sub(bend)
	back = back.Scale(tip / vg.Length(math.Hypot(float64(back.X), float64(back.Y))))
	neck, side := end.Sub(back), vg.Point{X: back.Y, Y: -back.X}.Scale(0.45)
	shade := color.NRGBA{R: ink.R, G: ink.G, B: ink.B, A: 0xb0}
	c.SetLineStyle(draw.LineStyle{Color: shade, Width: vg.Points(0.4 + 2.8*e.Probability)})
	var path vg.Path
	path.Move(start)
	path.QuadTo(bend, neck)
	c.Stroke(path)
	c.FillPolygon(shade, []vg.Point{end, neck.Add(side), neck.Sub(side)})
}

func numberStyle() text.Style {
	style := Words(8)
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	return style
}

// placeNumbers returns the patch of paper on which each edge's probability is written:
// on its curve, near the middle, or next to it, where it meets no act and no number
// before it.
func placeNumbers(edges []acts.Edge, at map[string]vg.Point) []vg.Rectangle {
	var placed, taken []vg.Rectangle
	half := vg.Point{X: boxWidth / 2, Y: boxHeight / 2}
	for _, p := range at {
		taken = append(taken, vg.Rectangle{Min: p.Sub(half), Max: p.Add(half)})
	}
	style := numberStyle()
	for _, e := range edges {
		half := vg.Point{X: style.Width(e.String())/2 + 1.5, Y: style.Height(e.String())/2 + 1.5}
		var patch vg.Rectangle
		for i, p := range numberPlaces(curveBetween(at[e.From], at[e.To])) {
			here := vg.Rectangle{Min: p.Sub(half), Max: p.Add(half)}
			free := !slices.ContainsFunc(taken, func(other vg.Rectangle) bool { return haveCommonPoint(here, other) })
			if i == 0 || free {
				patch = here
			}
			if free {
				break
			}
		}
		placed, taken = append(placed, patch), append(taken, patch)
	}
	return placed
}

// numberPlaces returns where an edge's number can stand, the best place first.
func numberPlaces(start, bend, end vg.Point) []vg.Point {
	on := func(t vg.Length) vg.Point {
		return start.Scale((1 - t) * (1 - t)).Add(bend.Scale(2 * t * (1 - t))).Add(end.Scale(t * t))
	}
	var places []vg.Point
	for _, t := range []vg.Length{0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74} {
		places = append(places, on(t))
	}
	outwards := bend.Sub(start.Add(end).Scale(0.5))
	outwards = outwards.Scale(1 / vg.Length(math.Hypot(float64(outwards.X), float64(outwards.Y))))
	for _, away := range []vg.Length{6, 12, 18, 24, 30} {
		places = append(places, on(0.5).Add(outwards.Scale(away)))
	}
	return places
}

// haveCommonPoint reports whether two rectangles have a point in common.
func haveCommonPoint(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// leave returns where the line from a box's middle to a point crosses its border.
func leave(box, to vg.Point) vg.Point {
	d := to.Sub(box)
	t := 1 / math.Max(math.Abs(float64(d.X/(boxWidth/2+2))), math.Abs(float64(d.Y/(boxHeight/2+2))))
	return box.Add(d.Scale(vg.Length(t)))
}
