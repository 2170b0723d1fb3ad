package figures

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// key is the legend of all panels: a strip at their right, or below them if it has a height.
type key struct {
	entries       []legendEntry
	columns       int
	width, height vg.Length
}

// legendEntry explains what a line, a bar or a level looks like.
type legendEntry struct {
	name  string
	marks []plot.Thumbnailer
}

const (
	markWidth  = 20 * vg.Length(1)
	entrySize  = 9. // of its text
	entryRoom  = 14 * vg.Length(1)
	afterMark  = 4 * vg.Length(1)
	aroundName = gap
)

// explain returns the legend: of what is not named where it is drawn.
func (l layout) explain() key {
	k := key{columns: 1}
	dashed := false
	for _, name := range l.names {
		style := l.styles[name]
		switch {
		case l.Panels[0].Groups != nil:
			k.entries = append(k.entries,
				legendEntry{cutShort(name), []plot.Thumbnailer{l.Panels[0].swatchOf(style.Color)}})
		case l.ends > 0 && !strings.HasSuffix(name, decidedOnly):
		case l.ends > 0 && dashed: // the same for all lines
		case l.ends > 0:
			dashed = true
			style = styleOf(0).dashedStyle()
			style.line.Color, style.glyph.Color = ink, ink
			k.entries = append(k.entries,
				legendEntry{strings.TrimPrefix(decidedOnly, ", "),
					[]plot.Thumbnailer{&plotter.Line{LineStyle: style.line},
						&plotter.Scatter{GlyphStyle: style.glyph}}})
		default:
			k.entries = append(k.entries,
				legendEntry{cutShort(name),
					[]plot.Thumbnailer{&plotter.Line{LineStyle: style.line},
						&plotter.Scatter{GlyphStyle: style.glyph}}})
		}
	}
	for i, name := range l.levels {
		k.entries = append(k.entries, legendEntry{cutShort(name),
			[]plot.Thumbnailer{&plotter.Line{LineStyle: levelStyle(i)}}})
	}
	if len(k.entries) > 0 {
		k.width = k.widestEntry() + gap
	}
	return k
}

// widestEntry returns the width of an entry that all fit in.
func (k key) widestEntry() (most vg.Length) {
	for _, e := range k.entries {
		most = max(most, Words(entrySize).Width(e.name))
	}
	return most + markWidth + afterMark + aroundName
}

// placeBelow puts the legend into rows of a width.
func (k *key) placeBelow(width vg.Length) {
	if len(k.entries) == 0 {
		return
	}
	k.columns = max(1, min(len(k.entries), int(width/k.widestEntry())))
	k.width = width
	k.height = vg.Length((len(k.entries)+k.columns-1)/k.columns)*entryRoom + gap
}

func (k key) draw(c draw.Canvas) {
	text := Words(entrySize)
	text.YAlign = draw.YCenter
	for i, e := range k.entries {
		x := c.Min.X + vg.Length(i%k.columns)*(c.Max.X-c.Min.X)/vg.Length(k.columns)
		y := c.Max.Y - gap/2 - (vg.Length(i/k.columns)+0.5)*entryRoom
		icon := &draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: x, Y: y - entrySize/2}, Max: vg.Point{X: x + markWidth, Y: y + entrySize/2},
		}}
		for _, mark := range e.marks {
			mark.Thumbnail(icon)
		}
		room := (c.Max.X-c.Min.X)/vg.Length(k.columns) - markWidth - afterMark
		c.FillText(text, vg.Point{X: x + markWidth + afterMark, Y: y + Rise}, Cut(e.name, entrySize, room))
	}
}
