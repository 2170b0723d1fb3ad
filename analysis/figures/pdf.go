package figures

import (
	"fmt"
	"image/color"
	"io"
	"sync"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	imagefont "golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/encoding/charmap"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgpdf"
)

// sameBytes makes the same picture the same file: its date is not today's.
var sameBytes = sync.OnceFunc(func() {
	fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
	fpdf.SetDefaultCatalogSort(true)
})

// writePDF draws on white, with the font in the file. vgpdf panics where it cannot write
// the font to a temporary file.
func (s Sheet) writePDF(w io.Writer) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot make a PDF: %v", r)
		}
	}()
	sameBytes()
	c := vgpdf.New(s.Width*vg.Length(s.Zoom), s.Height*vg.Length(s.Zoom))
	c.Scale(s.Zoom, s.Zoom)
	return s.write(w, "PDF", pdf{c})
}

// write draws on white, unless there is a text that the font does not have.
func (s Sheet) write(w io.Writer, format string, c interface {
	vg.Canvas
	io.WriterTo
}) error {
	checked := &readable{Canvas: c}
	s.drawOn(draw.NewCanvas(checked, s.Width, s.Height), color.White)
	if checked.missing != "" {
		return fmt.Errorf("a %s cannot show %q: the font of figures has no such letters, or writes them in the wrong "+
			"order; write an SVG file, which is shown with the fonts of its reader", format, checked.missing)
	}
	_, err := c.WriteTo(w)
	return err
}

// readable is a canvas that notes the first text that it cannot show.
type readable struct {
	vg.Canvas
	missing string
}

func (c *readable) FillString(face font.Face, at vg.Point, text string) {
	var buffer sfnt.Buffer
	for _, letter := range text {
		glyph, err := face.Face.GlyphIndex(&buffer, letter)
		if c.missing == "" && (err != nil || glyph == 0 || unicode.In(letter, rightToLeft...)) {
			c.missing = text
		}
	}
	c.Canvas.FillString(face, at, text)
}

// rightToLeft are scripts whose order and joined letters no canvas but an SVG's knows.
var rightToLeft = []*unicode.RangeTable{unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko}

// pdf is a canvas that can write what the font has. vgpdf takes bytes of Windows-1252
// for text; what has other letters is drawn.
type pdf struct{ *vgpdf.Canvas }

func (c pdf) FillString(face font.Face, at vg.Point, text string) {
	if western, err := charmap.Windows1252.NewEncoder().String(text); err == nil {
		c.Canvas.FillString(face, at, western)
		return
	}
	c.Fill(outlineText(face, at, text))
}

// outlineText returns the shapes of letters.
func outlineText(face font.Face, at vg.Point, text string) vg.Path {
	var buffer sfnt.Buffer
	var path vg.Path
	units := fixed.Int26_6(face.Face.UnitsPerEm()) // so that lengths come in units of the font
	scale := face.Font.Size / vg.Length(units)
	for _, letter := range text {
		glyph, err := face.Face.GlyphIndex(&buffer, letter)
		if err != nil {
			continue
		}
		if shape, err := face.Face.LoadGlyph(&buffer, glyph, units, nil); err == nil {
			path = append(path, pdfOutline(shape, at, scale)...)
		}
		if advance, err := face.Face.GlyphAdvance(&buffer, glyph, units, imagefont.HintingNone); err == nil {
			at.X += vg.Length(advance) * scale
		}
	}
	return path
}

func pdfOutline(shape sfnt.Segments, at vg.Point, scale vg.Length) (path vg.Path) {
	place := func(p fixed.Point26_6) vg.Point {
		return vg.Point{X: at.X + vg.Length(p.X)*scale, Y: at.Y - vg.Length(p.Y)*scale}
	}
	for _, s := range shape {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			if len(path) > 0 {
				path.Close()
			}
			path.Move(place(s.Args[0]))
		case sfnt.SegmentOpLineTo:
			path.Line(place(s.Args[0]))
		case sfnt.SegmentOpQuadTo:
			path.QuadTo(place(s.Args[0]), place(s.Args[1]))
		case sfnt.SegmentOpCubeTo:
			path.CubeTo(place(s.Args[0]), place(s.Args[1]), place(s.Args[2]))
		}
	}
	if len(path) > 0 {
		path.Close()
	}
	return path
}
