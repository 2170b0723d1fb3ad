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

// Write draws the figure on white, as svg or png.
func (f Figure) Write(w io.Writer, format string) error {
	l, err := f.layout()
	if err != nil {
		return err
	}
	return l.sheet().write(w, format)
}

// Inline returns the figure as an SVG element on no background, for a page.
func (f Figure) Inline() (string, error) {
	l, err := f.layout()
	if err != nil {
		return "", err
	}
	return l.sheet().inline()
}

// Panels and lines that can still be read; more of them have to be read as numbers.
const (
	mostPanels = 24
	mostLines  = 16
)

// Sizes of the parts.
const (
	panelWidth  = 5.2 * vg.Inch
	panelHeight = 3.9 * vg.Inch
	gap         = 10 * vg.Length(1)
	lineHeight  = 15 * vg.Length(1)
)

// layout is a figure with the sizes of its parts.
type layout struct {
	Figure
	names         []string         // of all lines, in the order of the legend
	styles        map[string]style // of lines by name
	levels        []string         // of all levels
	columns, rows int
	legend        vg.Length // width of its strip
	head, foot    vg.Length
	width, height vg.Length
}

func (f Figure) layout() (layout, error) {
	l := layout{Figure: f, columns: min(cmp.Or(f.columns, 2), len(f.Panels)), styles: map[string]style{}}
	colours := 0
	for _, p := range f.Panels {
		for _, line := range p.Lines {
			if !slices.Contains(l.names, line.Name) {
				l.names = append(l.names, line.Name)
				if line.Beside != "" {
					l.styles[line.Name] = l.styles[line.Beside].dashed()
					continue
				}
				l.styles[line.Name] = styleOf(colours)
				colours++
			}
		}
		for _, level := range p.Levels {
			if !slices.Contains(l.levels, level.Name) {
				l.levels = append(l.levels, level.Name)
			}
		}
	}
	most := mostLines
	if len(f.Panels) > 0 && f.Panels[0].Groups != nil {
		most = len(palette) // bars have neither shapes nor dashes
	}
	if len(f.Panels) == 0 || len(f.Panels) > mostPanels || colours > most {
		return l, fmt.Errorf("figure %s has %d panels and %d kinds of lines; from 1 to %d and %d can be read in a picture (--json has the numbers)",
			f.Name, len(f.Panels), colours, mostPanels, most)
	}
	l.rows = (len(f.Panels) + l.columns - 1) / l.columns
	for _, name := range slices.Concat(l.names, l.levels) {
		l.legend = max(l.legend, words(9).Width(short(name)))
	}
	l.legend += 40
	l.width = vg.Length(l.columns)*panelWidth + l.legend + 3*gap
	l.head, l.foot = headOf(f.simulated), foot+vg.Length(len(lines(l.caption(), l.width-2*gap))-1)*lineHeight
	l.height = vg.Length(l.rows)*panelHeight + l.head + l.foot
	return l, nil
}

func (l layout) sheet() sheet { return sheet{l.width, l.height, l.draw} }

func (l layout) draw(c draw.Canvas) {
	heading(c, l.Title, l.simulated, l.caption())
	l.panels(draw.Crop(c, gap, -l.legend-2*gap, l.foot, -l.head))
	legend := l.key()
	legend.Draw(draw.Crop(c, l.width-l.legend-gap, 0, 0, -l.head-gap))
}

func (l layout) panels(c draw.Canvas) {
	plots := make([][]*plot.Plot, l.rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, l.columns)
	}
	s := l.scale()
	for i, p := range l.Panels {
		if l.apart {
			s = l.measuring(p.Y).scale()
		}
		plots[i/l.columns][i%l.columns] = l.axes(p, s)
	}
	tiles := draw.Tiles{Rows: l.rows, Cols: l.columns, PadX: gap, PadY: 2 * gap}
	for i, row := range plot.Align(plots, tiles, c) {
		for j, canvas := range row {
			if plots[i][j] != nil {
				plots[i][j].Draw(canvas)
			}
		}
	}
}

// caption says how many observations a point rests on.
func (l layout) caption() string {
	if l.reading != "" {
		return l.reading
	}
	least, most := 0, 0
	for _, p := range l.Panels {
		for _, line := range p.Lines {
			for _, point := range line.Points {
				if point.N > 0 && (least == 0 || point.N < least) {
					least = point.N
				}
				most = max(most, point.N)
			}
		}
	}
	n := fmt.Sprint(most)
	if least != most {
		n = fmt.Sprintf("%d to %d", least, most)
	}
	caption := "Means with 95 % intervals, drawn as far as the measure can go; n = " + n + " " + cmp.Or(l.unit, "collaborations") + " a point."
	if l.embedder != "" {
		caption += " By " + short(l.embedder) + "."
	}
	return caption
}

// titleWidth is how many letters of a panel's title fit above it.
const titleWidth = 62

// broken puts a title that is too long for one line on two, at a comma if there is one.
func broken(title string) string {
	r := []rune(short(title))
	if len(r) <= titleWidth {
		return string(r)
	}
	if at := strings.LastIndex(string(r[:titleWidth]), ", "); at > 0 {
		return string(r)[:at+1] + "\n" + string(r)[at+2:]
	}
	return string(r[:titleWidth]) + "\n" + string(r[titleWidth:])
}
