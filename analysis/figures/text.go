package figures

import (
	"image/color"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of what all figures have.
const (
	Gap        = 10 * vg.Length(1)
	LineHeight = 15 * vg.Length(1)
	Rise       = 1.2 * vg.Length(1) // of text that is centred on something: letters stand higher than lines do
)

// Sizes of texts, in points.
const (
	titleSize   = 13
	warningSize = 10
	captionSize = 9
)

// Inks of texts.
var (
	Ink        = color.NRGBA{R: 0x22, G: 0x22, B: 0x22, A: 0xff}
	warningInk = color.NRGBA{R: 0xb0, A: 0xff}
)

// sans is the embedded Liberation Sans: the same picture on every machine.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// Words returns the style of text of this size, in points.
func Words(size float64) text.Style {
	return text.Style{Color: Ink, Font: font.From(sans, font.Length(size)), Handler: plot.DefaultTextHandler}
}

// cutShort cuts what would leave the picture.
func cutShort(s string) string {
	if r := []rune(s); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return s
}

// Cut returns the longest beginning of s that fits width at this text size, in points.
func Cut(s string, size float64, width vg.Length) string {
	style := Words(size)
	if style.Width(s) <= width {
		return s
	}
	r := []rune(s)
	for len(r) > 0 && style.Width(string(r)+"…") > width {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

// Lines breaks s between words into lines that fit width at this text size, in points. A word that
// fits no line is broken too.
func Lines(s string, size float64, width vg.Length) []string {
	style := Words(size)
	var list []string
	for word := range strings.FieldsSeq(s) {
		if last := len(list) - 1; last >= 0 && style.Width(list[last]+" "+word) <= width {
			list[last] += " " + word
			continue
		}
		for style.Width(word) > width {
			n := fittingBytes(word, style, width)
			list = append(list, word[:n])
			word = word[n:]
		}
		list = append(list, word)
	}
	return list
}

// fittingBytes returns how many bytes of a word fit a width, at least its first letter: up
// to a mark between its parts, if there is one.
func fittingBytes(word string, style text.Style, width vg.Length) int {
	most := 0
	for most < len(word) {
		_, letter := utf8.DecodeRuneInString(word[most:])
		if most > 0 && style.Width(word[:most+letter]) > width {
			break
		}
		most += letter
	}
	if mark := strings.LastIndexAny(word[:most], "-/_.:"); mark > 0 {
		return mark + 1
	}
	return most
}

// Frame is the text above and below a figure.
type Frame struct {
	Title, Simulated, Caption string
}

// Head returns the height of the text above a figure of this width.
func (f Frame) Head(width vg.Length) vg.Length {
	n := len(f.titleLines(width)) + len(f.warningLines(width))
	return vg.Length(n+1)*LineHeight + 1.5*Gap
}

// Foot returns the height of the text below a figure of this width.
func (f Frame) Foot(width vg.Length) vg.Length {
	return vg.Length(max(1, len(f.captionLines(width))))*LineHeight + 2*Gap
}

func (f Frame) titleLines(width vg.Length) []string {
	return Lines(cutShort(f.Title), titleSize, width-2*Gap)
}

func (f Frame) warningLines(width vg.Length) []string {
	return Lines(f.Simulated, warningSize, width-2*Gap)
}

func (f Frame) captionLines(width vg.Length) []string {
	return Lines(f.Caption, captionSize, width-2*Gap)
}

// Draw writes the texts above and below the figure.
func (f Frame) Draw(c draw.Canvas) {
	width := c.Max.X - c.Min.X
	at := vg.Point{X: c.Min.X + Gap, Y: c.Max.Y - Gap}
	for _, line := range f.titleLines(width) {
		at.Y -= LineHeight
		c.FillText(Words(titleSize), at, line)
	}
	warning := Words(warningSize)
	warning.Color = warningInk
	for _, line := range f.warningLines(width) {
		at.Y -= LineHeight
		c.FillText(warning, at, line)
	}
	caption := f.captionLines(width)
	at.Y = c.Min.Y + Gap + vg.Length(len(caption))*LineHeight
	for _, line := range caption {
		at.Y -= LineHeight
		c.FillText(Words(captionSize), at, line)
	}
}
