package figures

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// sheet is a picture before it has a format.
type sheet struct {
	width, height vg.Length
	draw          func(draw.Canvas)
}

// write draws on white in a format.
func (s sheet) write(w io.Writer, format string) error {
	switch format {
	case "svg":
		return s.svg(w, color.White)
	case "png":
		c := vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(s.width, s.height), vgimg.UseDPI(150))}
		s.on(draw.New(c), color.White)
		_, err := c.WriteTo(w)
		return err
	}
	return fmt.Errorf("there is no format %q of figures; there are svg, png", format)
}

// inline returns an SVG element on no background, without the prologue of a file.
func (s sheet) inline() (string, error) {
	var b strings.Builder
	if err := s.svg(&b, nil); err != nil {
		return "", err
	}
	text := b.String()
	return text[strings.Index(text, "<svg"):], nil
}

func (s sheet) svg(w io.Writer, paper color.Color) error {
	c := vgsvg.New(s.width, s.height)
	s.on(draw.New(c), paper)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	// Who has not the font gets one of its shape.
	_, err := io.WriteString(w, strings.ReplaceAll(b.String(), "font-family:Liberation Sans;", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	return err
}

func (s sheet) on(c draw.Canvas, paper color.Color) {
	if paper != nil {
		c.SetColor(paper)
		c.Fill(c.Path())
	}
	s.draw(c)
}

// foot is the height of the caption below a picture, if it has one line.
const foot = lineHeight + 2*gap

// lines breaks a caption between words, so that each line fits a width.
func lines(caption string, width vg.Length) []string {
	var list []string
	for word := range strings.FieldsSeq(caption) {
		if last := len(list) - 1; last >= 0 && words(9).Width(list[last]+" "+word) <= width {
			list[last] += " " + word
		} else {
			list = append(list, word)
		}
	}
	return list
}

// headOf returns the height of what stands above.
func headOf(simulated string) vg.Length {
	if simulated == "" {
		return 2*lineHeight + 1.5*gap
	}
	return 3*lineHeight + 1.5*gap
}

// heading writes what stands above and below a picture.
func heading(c draw.Canvas, title, simulated, caption string) {
	at := vg.Point{X: c.Min.X + gap, Y: c.Max.Y - gap - lineHeight}
	c.FillText(words(13), at, short(title))
	if simulated != "" {
		warning := words(10)
		warning.Color = warningInk
		at.Y -= lineHeight
		c.FillText(warning, at, simulated)
	}
	at.Y = c.Min.Y + gap
	for _, line := range slices.Backward(lines(caption, c.Max.X-c.Min.X-2*gap)) {
		c.FillText(words(9), at, line)
		at.Y += lineHeight
	}
}

// sans is the embedded Liberation Sans: the same picture on every machine.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// words returns a style of text of a size in points.
func words(size float64) text.Style {
	return text.Style{
		Color: ink, Font: font.From(sans, font.Length(size)), Handler: plot.DefaultTextHandler,
	}
}

// short cuts what would leave the picture.
func short(s string) string {
	if r := []rune(s); len(r) > 100 {
		return string(r[:99]) + "…"
	}
	return s
}
