package figures

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"regexp"
	"roundtable/envs/wording"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// SheetFormats returns the formats in which a sheet can be written.
func SheetFormats() []string { return []string{"svg", "png", "pdf"} }

// Sheet is a picture before it has a format. It is laid out for texts of the usual
// sizes; Zoom says how large all of it is printed.
type Sheet struct {
	Width, Height vg.Length
	Zoom          float64
	Draw          func(draw.Canvas)
}

// forPrint is the zoom of sheets of a width that a journal asks for: text of 9 points
// becomes 7, the least that most of them accept.
const forPrint = 7. / 9

// Dots per inch of a PNG: enough for a screen, or for print.
const (
	dpiOfScreen = 150
	dpiOfPrint  = 300
)

// Widths between which a figure can be read.
const (
	leastWidth = 60 * vg.Millimeter
	mostWidth  = 500 * vg.Millimeter
)

// ParseWidth parses a width with its unit.
func ParseWidth(text string) (vg.Length, error) {
	hasUnit := slices.ContainsFunc([]string{"mm", "cm", "in", "pt"},
		func(unit string) bool { return strings.HasSuffix(text, unit) })
	width, err := vg.ParseLength(text)
	if err != nil || !hasUnit {
		return 0, fmt.Errorf("width %q: give a number with mm, cm, in or pt, such as 85mm", text)
	}
	if !(width >= leastWidth && width <= mostWidth) {
		return 0, fmt.Errorf("width %s: a figure can be from 60mm to 500mm wide", text)
	}
	return width, nil
}

// Write draws the sheet on white in one of SheetFormats.
func (s Sheet) Write(w io.Writer, format string) error {
	switch format {
	case "svg":
		return s.writeSVG(w, color.White)
	case "png":
		dpi := dpiOfScreen
		if s.Zoom == forPrint {
			dpi = int(dpiOfPrint * s.Zoom)
		}
		return s.write(w, "PNG", vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(s.Width, s.Height),
			vgimg.UseDPI(dpi))})
	case "pdf":
		return s.writePDF(w)
	}
	return fmt.Errorf("unknown format %q of figures; expected %s", format, wording.Or(SheetFormats()))
}

// Inline returns the sheet as an SVG element with a transparent background, without a file's
// prologue.
func (s Sheet) Inline() (string, error) {
	var b strings.Builder
	if err := s.writeSVG(&b, nil); err != nil {
		return "", err
	}
	text := b.String()
	return text[strings.Index(text, "<svg"):], nil
}

var sizeOfSVG = regexp.MustCompile(`width="[0-9.e+]+pt" height="[0-9.e+]+pt"`)

func (s Sheet) writeSVG(w io.Writer, paper color.Color) error {
	c := vgsvg.New(s.Width, s.Height)
	s.drawOn(draw.New(c), paper)
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	text := b.String()
	if s.Zoom != 1 {
		size := sizeOfSVG.FindString(text)
		text = strings.Replace(text, size,
			fmt.Sprintf(`width="%.5gpt" height="%.5gpt"`, s.Width.Points()*s.Zoom, s.Height.Points()*s.Zoom), 1)
	}
	// Who has not the font gets one of its shape.
	_, err := io.WriteString(w, strings.ReplaceAll(text, "font-family:Liberation Sans;",
		"font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"))
	return err
}

func (s Sheet) drawOn(c draw.Canvas, paper color.Color) {
	if paper != nil {
		c.SetColor(paper)
		c.Fill(c.Path())
	}
	s.Draw(c)
}
