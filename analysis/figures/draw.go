package figures

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Write draws the figure on white in format: svg, png or pdf.
func (f Figure) Write(w io.Writer, format string) error {
	s, err := f.newSheet()
	if err != nil {
		return err
	}
	return s.Write(w, format)
}

// Inline returns the figure as an SVG element with a transparent background, for a page.
func (f Figure) Inline() (string, error) {
	s, err := f.newSheet()
	if err != nil {
		return "", err
	}
	return s.Inline()
}

func (f Figure) newSheet() (Sheet, error) {
	if len(f.Panels) > 0 && f.Panels[0].Forest {
		return f.forestSheet()
	}
	l, err := f.newLayout()
	return Sheet{Width: l.width, Height: l.height, Zoom: l.zoom, Draw: l.draw}, err
}

// Panels and lines that can still be read; more of them have to be read as numbers.
const (
	mostPanels = 24
	mostLines  = 16
)

// Sizes of the parts.
const (
	panelWidth = 5.2 * vg.Inch // where no width is asked for
	panelShape = 4. / 3        // width by height
	narrowest  = 3.6 * vg.Inch // panel that stands next to another
	gap        = Gap
	lineHeight = LineHeight
)

// layout is a figure with the sizes of its parts.
type layout struct {
	Figure
	names         []string         // of all lines, in the order of the legend
	styles        map[string]style // of lines by name
	levels        []string         // of all levels
	columns, rows int
	panel         vg.Length // width of one
	ends          vg.Length // width of the names at the ends of lines; 0 if a legend has them
	key           key
	frame         Frame
	head, foot    vg.Length
	width, height vg.Length
	zoom          float64
}

func (f Figure) newLayout() (layout, error) {
	l := layout{Figure: f, styles: map[string]style{},
		frame: Frame{Title: f.Title, Simulated: f.simulated, Caption: f.countCaption()}}
	colours := l.name()
	most := mostLines
	if len(f.Panels) > 0 && f.Panels[0].Groups != nil {
		most = len(palette) // bars have neither shapes nor dashes
	}
	if len(f.Panels) == 0 || len(f.Panels) > mostPanels || colours > most {
		return l, TooLarge{f.Name, fmt.Sprintf("%d panels and %d kinds of lines", len(f.Panels), colours),
			fmt.Sprintf("from 1 to %d and %d", mostPanels, most)}
	}
	l.ends = f.endsWidth()
	l.key = l.explain()
	l.fit()
	return l, nil
}

// name gives each line and level its style, and returns the number of colours.
func (l *layout) name() (colours int) {
	for _, p := range l.Panels {
		for _, line := range p.Lines {
			if slices.Contains(l.names, line.Name) {
				continue
			}
			if l.names = append(l.names, line.Name); line.Beside != "" {
				l.styles[line.Name] = l.styles[line.Beside].dashedStyle()
				continue
			}
			l.styles[line.Name] = styleOf(colours)
			colours++
		}
		for _, level := range p.Levels {
			if !slices.Contains(l.levels, level.Name) {
				l.levels = append(l.levels, level.Name)
			}
		}
	}
	return colours
}

// fit gives all parts their sizes. On a screen panels have their usual width, and a
// legend of lines or bars is at the right; in print they share the width. Any other
// legend is below.
func (l *layout) fit() {
	l.columns, l.zoom, l.panel = min(cmp.Or(l.Figure.columns, 2), len(l.Panels)), 1, panelWidth
	if l.print > 0 {
		l.zoom = forPrint
		l.width = l.print / vg.Length(l.zoom)
		l.columns = max(1, min(l.columns, int(l.width/narrowest)))
		l.panel = (l.width - 2*gap - vg.Length(l.columns-1)*gap) / vg.Length(l.columns)
		l.key.placeBelow(l.width - 2*gap)
	} else if l.ends > 0 {
		l.width = vg.Length(l.columns)*(l.panel+gap) + gap
		l.key.placeBelow(l.width - 2*gap)
	} else {
		l.width = vg.Length(l.columns)*(l.panel+gap) + gap + l.key.width
	}
	l.rows = (len(l.Panels) + l.columns - 1) / l.columns
	l.head, l.foot = l.frame.Head(l.width), l.frame.Foot(l.width)
	l.height = vg.Length(l.rows)*(l.panel/panelShape) + l.head + l.key.height + l.foot
}

func (l layout) draw(c draw.Canvas) {
	l.frame.Draw(c)
	if l.key.height > 0 {
		l.drawPanels(draw.Crop(c, gap, -gap, l.foot+l.key.height, -l.head))
		l.key.draw(draw.Crop(c, gap, -gap, l.foot, l.foot+l.key.height-l.height))
		return
	}
	l.drawPanels(draw.Crop(c, gap, -l.key.width-gap, l.foot, -l.head))
	l.key.draw(draw.Crop(c, l.width-l.key.width, 0, l.foot, -l.head))
}

func (l layout) drawPanels(c draw.Canvas) {
	plots := make([][]*plot.Plot, l.rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, l.columns)
	}
	s := l.scale()
	for i, p := range l.Panels {
		if l.apart {
			s = l.panelsMeasuring(p.Y).scale()
		}
		plots[i/l.columns][i%l.columns] = l.drawAxes(p, s)
	}
	// What is right of a panel's axes has the width of the names of its lines.
	tiles := draw.Tiles{Rows: l.rows, Cols: l.columns, PadX: gap + l.ends, PadRight: l.ends, PadY: 2 * gap}
	for i, row := range plot.Align(plots, tiles, c) {
		for j, canvas := range row {
			if a := plots[i][j]; a != nil {
				a.Draw(canvas)
				l.nameEnds(a.DataCanvas(canvas), a, l.Panels[i*l.columns+j])
			}
		}
	}
}

// countCaption says how many observations a point rests on.
func (f Figure) countCaption() string {
	if f.reading != "" {
		return f.reading
	}
	var counts []int
	for _, p := range f.Panels {
		for _, line := range p.Lines {
			for _, point := range line.Points {
				if point.N > 0 {
					counts = append(counts, point.N)
				}
			}
		}
	}
	n := "0"
	if len(counts) > 0 {
		n = rangeOf(counts)
	}
	caption := "Means with 95 % intervals, drawn as far as the measure can go; n = " + n + " " +
		cmp.Or(f.unit, "collaborations") + " a point."
	if f.embedder != "" {
		caption += " By " + cutShort(f.embedder) + "."
	}
	return caption
}

// breakTitle puts a title that is too long for its panel on two lines, at a comma if there is one.
func (l layout) breakTitle(title string) string {
	title = cutShort(title)
	width := Words(10).Width
	if width(title) <= l.panel {
		return title
	}
	at := len(title)
	for at > 0 && width(title[:at]) > l.panel {
		at = strings.LastIndex(title[:at], ", ")
	}
	if at > 0 {
		return title[:at+1] + "\n" + Cut(title[at+2:], 10, l.panel)
	}
	r := []rune(title)
	for n := len(r); n > 0; n-- {
		if width(string(r[:n])) <= l.panel {
			return string(r[:n]) + "\n" + Cut(string(r[n:]), 10, l.panel)
		}
	}
	return title
}
