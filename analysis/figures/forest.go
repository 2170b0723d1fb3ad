package figures

import (
	"fmt"
	"slices"

	imagefont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Of the drawing of rows.
const (
	forestWidth = 7.2 * vg.Inch // where no width is asked for
	mostRows    = 120
	rowSize     = 9.75              // of texts: 13 pixels on a page
	rowLine     = 12 * vg.Length(1) // of a name
	boldRoom    = 1.1               // how much more room than others bold text takes at most
	rowRoom     = 5 * vg.Length(1)  // between rows
	axisRoom    = 34 * vg.Length(1) // below the rows
	leastAxis   = 2 * vg.Inch       // where there is less, intervals are not written
	halfTick    = 16 * vg.Length(1) // of the number at the end of the axis
	mostOfNames = 0.42              // of the width
)

// forest is a figure of panels below each other, whose rows are groups.
type forest struct {
	Figure
	frame          Frame
	names, numbers vg.Length // widths of what stands left and right of the axes
	width          vg.Length
	rows           [][]row // by panel
}

// row is a group's name, broken into lines, and its numbers in words.
type row struct {
	Point
	name    []string
	numbers string
	highest bool // its name is bold
}

// forestSheet returns the sheet of a figure of rows.
func (f Figure) forestSheet() (Sheet, error) {
	n := 0
	for _, p := range f.Panels {
		n += len(p.Groups)
	}
	if len(f.Panels) > mostPanels || n > mostRows {
		return Sheet{}, TooLarge{f.Name, fmt.Sprintf("%d panels and %d rows", len(f.Panels), n),
			fmt.Sprintf("up to %d and %d", mostPanels, mostRows)}
	}
	d := forest{Figure: f, width: forestWidth,
		frame: Frame{Title: f.Title, Simulated: f.simulated, Caption: f.countCaption()}}
	zoom := 1.
	if f.print > 0 {
		zoom = forPrint
		d.width = f.print / vg.Length(zoom)
	}
	d.arrangeNames()
	height := d.frame.Head(d.width) + d.frame.Foot(d.width)
	for i := range d.Panels {
		height += d.panelHeight(i)
	}
	return Sheet{Width: d.width, Height: height, Zoom: zoom, Draw: d.draw}, nil
}

// arrangeNames breaks the names into lines and gives what stands next to the axes its width.
func (d *forest) arrangeNames() {
	text := Words(rowSize)
	for _, p := range d.Panels {
		for _, name := range p.Groups {
			d.names = max(d.names, boldRoom*text.Width(name))
		}
	}
	d.names = min(d.names, mostOfNames*d.width)
	for _, p := range d.Panels {
		s := d.panelsMeasuring(p.Y).scale()
		var rows []row
		for _, point := range p.Lines[0].Points {
			r := row{Point: point, numbers: numbersText(point, s), highest: p.isHighest(point)}
			for _, line := range Lines(point.Group, rowSize, d.names/boldRoom) {
				r.name = append(r.name, Cut(line, rowSize, d.names/boldRoom))
			}
			rows = append(rows, r)
			d.numbers = max(d.numbers, text.Width(r.numbers))
		}
		d.rows = append(d.rows, rows)
	}
	if d.width-d.names-d.numbers-4*gap < leastAxis {
		d.shortenNumbers()
	}
}

// shortenNumbers writes values without their intervals, for which there is no room.
func (d *forest) shortenNumbers() {
	d.numbers = 0
	for i, rows := range d.rows {
		s := d.panelsMeasuring(d.Panels[i].Y).scale()
		for j, r := range rows {
			r.Low = nil
			rows[j].numbers = numbersText(r.Point, s)
			d.numbers = max(d.numbers, Words(rowSize).Width(rows[j].numbers))
		}
	}
}

// numbersText returns what a row shows, in words.
func numbersText(p Point, s scale) string {
	switch {
	case p.Value == nil:
		return "–"
	case p.Low == nil:
		return s.write(*p.Value, 2)
	}
	return fmt.Sprintf("%s (%s to %s)", s.write(*p.Value, 2), s.write(*p.Low, 2), s.write(*p.High, 2))
}

// isHighest reports whether a point has the greatest value of a panel whose values differ.
func (p Panel) isHighest(of Point) bool {
	var values []float64
	for _, point := range p.Lines[0].Points {
		if point.Value != nil {
			values = append(values, *point.Value)
		}
	}
	return of.Value != nil && *of.Value == slices.Max(values) && *of.Value > slices.Min(values)
}

func (r row) rowHeight() vg.Length { return vg.Length(max(1, len(r.name)))*rowLine + rowRoom }

// titleHeight returns how much room the title of a panel takes, which only several need.
func (d forest) titleHeight() vg.Length {
	if len(d.Panels) < 2 {
		return 0
	}
	return lineHeight
}

// panelHeight returns how much room a panel takes.
func (d forest) panelHeight(panel int) vg.Length {
	height := d.titleHeight() + d.levelsHeight(panel) + axisRoom
	for _, r := range d.rows[panel] {
		height += r.rowHeight()
	}
	return height
}

// levelsHeight returns how much room the names of a panel's levels take above its rows.
func (d forest) levelsHeight(panel int) vg.Length {
	return vg.Length(min(1, len(d.Panels[panel].Levels))) * rowLine
}

func (d forest) draw(c draw.Canvas) {
	d.frame.Draw(c)
	top := c.Max.Y - d.frame.Head(d.width)
	for i := range d.Panels {
		d.drawPanel(c, i, top)
		top -= d.panelHeight(i)
	}
}

// drawPanel draws one panel from its top down.
func (d forest) drawPanel(c draw.Canvas, panel int, top vg.Length) {
	p, s := d.Panels[panel], d.panelsMeasuring(d.Panels[panel].Y).scale()
	left, right := c.Min.X+d.names+2*gap, c.Max.X-gap-max(d.numbers+gap, halfTick)
	x := func(v float64) vg.Length { return left + vg.Length((v-s.low)/s.spanLength())*(right-left) }
	bottom := top - d.panelHeight(panel) + axisRoom
	if d.titleHeight() > 0 {
		c.FillText(Words(10), vg.Point{X: c.Min.X + gap, Y: top - 10}, cutShort(p.Title))
	}
	top -= d.titleHeight() + d.levelsHeight(panel)
	d.drawAxis(c, s, x, bottom, top)
	d.drawLevels(c, p, s, x, bottom, top)
	label := Words(rowSize)
	label.XAlign = draw.XCenter
	c.FillText(label, vg.Point{X: (left + right) / 2, Y: bottom - 24}, Cut(axisName(p.Y), rowSize, c.Max.X-left))
	for _, r := range d.rows[panel] {
		middle := top - r.rowHeight()/2
		d.drawRow(c, r, s, x, middle)
		if d.numbers > 0 {
			text := Words(rowSize)
			text.YAlign = draw.YCenter
			c.FillText(text, vg.Point{X: right + gap, Y: middle + Rise}, r.numbers)
		}
		top -= r.rowHeight()
	}
}

// drawAxis draws ticks, their numbers, and faint lines through all rows.
func (d forest) drawAxis(c draw.Canvas, s scale, x func(float64) vg.Length, bottom, top vg.Length) {
	dark, pale := draw.LineStyle{Color: ink, Width: vg.Points(0.6)}, draw.LineStyle{Color: faint, Width: vg.Points(0.4)}
	c.StrokeLine2(dark, x(s.low), bottom, x(s.high), bottom)
	number := Words(rowSize)
	number.XAlign = draw.XCenter
	for _, tick := range s.valueTicks() {
		c.StrokeLine2(pale, x(tick.Value), bottom, x(tick.Value), top)
		c.StrokeLine2(dark, x(tick.Value), bottom, x(tick.Value), bottom-4)
		c.FillText(number, vg.Point{X: x(tick.Value), Y: bottom - 13}, tick.Label)
	}
}

// drawLevels draws dashed lines through all rows, whose names are above the axis' own.
func (d forest) drawLevels(c draw.Canvas, p Panel, s scale, x func(float64) vg.Length, bottom, top vg.Length) {
	for i, level := range p.Levels {
		c.StrokeLine2(levelStyle(i), x(level.Value), bottom, x(level.Value), top)
		name := Words(rowSize)
		name.XAlign, name.YAlign = draw.XCenter, draw.YTop
		c.FillText(name, vg.Point{X: x(level.Value), Y: top + rowLine}, level.Name+" "+s.write(level.Value, 2))
	}
}

// drawRow draws a name, an interval and the mean on it.
func (d forest) drawRow(c draw.Canvas, r row, s scale, x func(float64) vg.Length, middle vg.Length) {
	name := Words(rowSize)
	name.XAlign, name.YAlign = draw.XRight, draw.YCenter
	if r.highest {
		name.Font.Weight = imagefont.WeightBold
	}
	for i, line := range r.name {
		c.FillText(name, vg.Point{X: c.Min.X + gap + d.names,
			Y: middle + Rise + rowLine*(vg.Length(len(r.name)-1)/2-vg.Length(i))}, line)
	}
	if r.Value == nil {
		return
	}
	style := styleOf(0)
	if r.Low != nil {
		whisker := draw.LineStyle{Color: style.Color, Width: vg.Points(1.4)}
		c.StrokeLine2(whisker, x(s.clampInside(*r.Low)), middle, x(s.clampInside(*r.High)), middle)
	}
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: style.Color, Radius: vg.Points(2.8), Shape: draw.BoxGlyph{}},
		vg.Point{X: x(s.clampInside(*r.Value)), Y: middle})
}
