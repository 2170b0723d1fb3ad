package figures

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"roundtable/analysis/acts"
	"roundtable/analysis/figures/page"
)

// Of the drawing of one graph.
const (
	graphSide     = 4.6 * vg.Inch
	narrowestSide = 4 * vg.Inch // of one that is set beside another one
	boxWidth      = 66 * vg.Length(1)
	boxHeight     = 19 * vg.Length(1)
	tip           = 7 * vg.Length(1)
)

// Write draws the graphs on white as svg, png or pdf, or writes them for Graphviz.
func (f Graphs) Write(w io.Writer, format string) error {
	if format == "dot" {
		for _, g := range f.Graphs {
			if _, err := io.WriteString(w, acts.DOT(f.heading(g), g.Drawn)); err != nil {
				return err
			}
		}
		return nil
	}
	s, err := f.sheet()
	if err != nil {
		return err
	}
	return s.Write(w, format)
}

// Inline returns the figure as an SVG element on no background, for a page.
func (f Graphs) Inline() (string, error) {
	s, err := f.sheet()
	if err != nil {
		return "", err
	}
	return s.Inline()
}

func (f Graphs) heading(g Graph) string {
	title := fmt.Sprintf("%s (n = %d), labelled by %s", g.Title, g.N, f.Labeller)
	if f.simulated != "" {
		title += " – " + f.simulated
	}
	return title
}

func (f Graphs) sheet() (page.Sheet, error) {
	if n := len(f.Graphs); n == 0 || n > mostPanels {
		return page.Sheet{}, fmt.Errorf("figure %s has %d graphs; 1 to %d can be read in a picture (--json has the numbers)", f.Name, n, mostPanels)
	}
	columns, side, zoom := min(2, len(f.Graphs)), graphSide, 1.
	width := max(vg.Length(columns)*side, 6.5*vg.Inch) + 2*gap
	if f.print > 0 {
		zoom = page.ForPrint
		width = f.print / vg.Length(zoom)
		columns = max(1, min(columns, int((width-2*gap)/narrowestSide)))
		side = (width - 2*gap) / vg.Length(columns)
	}
	rows := (len(f.Graphs) + columns - 1) / columns
	frame := page.Frame{Title: f.Title, Simulated: f.simulated, Caption: "Labelled by " + f.Labeller + ". Edges: probability that the act is answered with the other one in the next round (" + string(f.Reading) + "), standard error."}
	head, foot := frame.Head(width), frame.Foot(width)
	return page.Sheet{
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
	title := page.Words(10)
	title.XAlign = draw.XCenter
	c.FillText(title, vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Max.Y - lineHeight}, page.Cut(fmt.Sprintf("%s (n = %d)", g.Title, g.N), 10, c.Max.X-c.Min.X))
	middle := vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: (c.Min.Y + c.Max.Y - lineHeight) / 2}
	radius := min((c.Max.X-c.Min.X-boxWidth)/2-2, (c.Max.Y-c.Min.Y-lineHeight-boxHeight)/2-gap, 1.72*vg.Inch)
	names := acts.Nodes(g.Drawn)
	at := map[string]vg.Point{}
	for i, name := range names {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(names)))
		at[name] = vg.Point{X: middle.X + radius*vg.Length(sin), Y: middle.Y + radius*vg.Length(cos)}
	}
	for _, e := range g.Drawn {
		arrow(c, at[e.From], at[e.To], e)
	}
	for _, e := range g.Drawn { // after all arrows, so that none strikes a number through
		writeProbability(c, at[e.From], at[e.To], e)
	}
	label := page.Words(9)
	label.XAlign, label.YAlign = draw.XCenter, draw.YCenter
	for _, name := range names {
		outline(c, at[name])
		c.FillText(label, at[name], name)
	}
}

// outline of a box around a point.
func outline(c draw.Canvas, p vg.Point) {
	corner := func(x, y vg.Length) vg.Point { return vg.Point{X: p.X + x*boxWidth/2, Y: p.Y + y*boxHeight/2} }
	c.StrokeLines(draw.LineStyle{Color: ink, Width: vg.Points(0.9)}, []vg.Point{corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)})
}

// curve of an edge: where it starts, the point that bends it, and where it ends.
func curve(from, to vg.Point) (start, bend, end vg.Point) {
	d := to.Sub(from)
	bend = from.Add(to).Scale(0.5).Add(vg.Point{X: d.Y, Y: -d.X}.Scale(0.14))
	return leave(from, bend), bend, leave(to, bend)
}

// arrow from box to box, as wide as the edge is probable.
func arrow(c draw.Canvas, from, to vg.Point, e acts.Edge) {
	start, bend, end := curve(from, to)
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

// writeProbability writes an edge's probability onto the top of its bend, on a
// patch of paper that interrupts whatever runs under it.
func writeProbability(c draw.Canvas, from, to vg.Point, e acts.Edge) {
	start, bend, end := curve(from, to)
	top := start.Add(end).Scale(0.25).Add(bend.Scale(0.5))
	number := page.Words(8)
	number.XAlign, number.YAlign = draw.XCenter, draw.YCenter
	width, height := number.Width(e.String())/2+1.5, number.Height(e.String())/2+1.5
	box(c, color.White, top.X-width, top.X+width, top.Y-height, top.Y+height)
	c.FillText(number, top, e.String())
}

// leave returns where the line from a box's middle to a point crosses its border.
func leave(box, to vg.Point) vg.Point {
	d := to.Sub(box)
	t := 1 / math.Max(math.Abs(float64(d.X/(boxWidth/2+2))), math.Abs(float64(d.Y/(boxHeight/2+2))))
	return box.Add(d.Scale(vg.Length(t)))
}
