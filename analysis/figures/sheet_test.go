package figures

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// letters is a sheet with a text that vgpdf cannot write as one.
func letters(zoom float64) Sheet {
	return Sheet{Width: 4 * vg.Inch, Height: 2 * vg.Inch, Zoom: zoom, Draw: func(c draw.Canvas) {
		c.FillText(Words(9), vg.Point{X: 10, Y: 20}, "95 % (χ²)")
		c.FillText(Words(9), vg.Point{X: 10, Y: 50}, "mean ± sd – Müller")
	}}
}

// The same picture is the same file, of the size that is asked for.
func TestFilesAreAlike(t *testing.T) {
	for _, x := range []struct {
		format string
		zoom   float64
		has    string
	}{
		{"svg", 1, `width="288pt" height="144pt" viewBox="0 0 288 144"`},
		{"svg", forPrint, `width="224pt" height="112pt" viewBox="0 0 288 144"`},
		{"pdf", 1, "/MediaBox [0 0 288.00 144.00]"},
		{"pdf", forPrint, "/MediaBox [0 0 224.00 112.00]"},
		{"png", 1, "\x89PNG"},
	} {
		var one, two bytes.Buffer
		if err := letters(x.zoom).Write(&one, x.format); err != nil {
			t.Fatal(err)
		}
		if err := letters(x.zoom).Write(&two, x.format); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("%s differs from itself: %v", x.format, err)
		}
		if !strings.Contains(one.String(), x.has) {
			t.Errorf("%s lacks %q: %.400s", x.format, x.has, one.String())
		}
	}
	if err := letters(1).Write(new(bytes.Buffer), "gif"); err == nil || !strings.Contains(err.Error(), "svg, png or pdf") {
		t.Errorf("a GIF: %v", err)
	}
}

// In print a PNG has twice the dots.
func TestDotsOfPNG(t *testing.T) {
	for zoom, want := range map[float64]int{1: 600, forPrint: 932} { // 4 inches at 150, 3.11 at 300
		var b bytes.Buffer
		if err := letters(zoom).Write(&b, "png"); err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(&b)
		if err != nil || picture.Bounds().Dx() != want {
			t.Errorf("%d dots, want %d: %v", picture.Bounds().Dx(), want, err)
		}
	}
}

// What is drawn instead of written has the font's shapes: as wide as the text.
func TestOutlines(t *testing.T) {
	style := Words(9)
	face := plot.DefaultTextHandler.Cache().Lookup(style.Font, style.Font.Size)
	path := outlineText(face, vg.Point{X: 100, Y: 50}, "χχχχ")
	least, most := vg.Length(1000), vg.Length(0)
	for _, c := range path {
		if c.Type != vg.CloseComp {
			least, most = min(least, c.Pos.X), max(most, c.Pos.X)
			if c.Pos.Y < 40 || c.Pos.Y > 60 {
				t.Fatalf("a point at %v", c.Pos)
			}
		}
	}
	if width := style.Width("χχχχ"); least < 99 || most > 101+width || most-least < 0.8*width {
		t.Errorf("from %v to %v, the text is %v wide", least, most, width)
	}
}

// A text that a format cannot show is an error that names it, and nothing is written.
func TestUnreadableTexts(t *testing.T) {
	for text, readable := range map[string]bool{
		"Müller, 95 % (χ²) – “Да”": true, "多数决": false, "majority 多": false, "الإجماع": false, "הצבעה": false, "多数決ルール": false, "합의": false, "बहुमत": false,
	} {
		sheet := Sheet{Width: 4 * vg.Inch, Height: 2 * vg.Inch, Zoom: 1, Draw: func(c draw.Canvas) { c.FillText(Words(9), vg.Point{X: 10, Y: 20}, text) }}
		for _, format := range SheetFormats() {
			var b bytes.Buffer
			err := sheet.Write(&b, format)
			if readable || format == "svg" {
				if err != nil || b.Len() == 0 || format == "svg" && !strings.Contains(b.String(), text) {
					t.Errorf("%s as %s: %v", text, format, err)
				}
			} else if err == nil || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "SVG") || b.Len() > 0 {
				t.Errorf("%s as %s: %d bytes, %v", text, format, b.Len(), err)
			}
		}
	}
}

func TestParseWidth(t *testing.T) {
	for text, want := range map[string]vg.Length{"85mm": 85 * vg.Millimeter, "8.5cm": 8.5 * vg.Centimeter, "3.5in": 3.5 * vg.Inch, "240pt": 240} {
		if got, err := ParseWidth(text); err != nil || got-want > 1e-6 || want-got > 1e-6 {
			t.Errorf("%s is %v, want %v: %v", text, got, want, err)
		}
	}
	for _, text := range []string{"", "85", "wide", "mm", "-85mm", "5mm", "9000mm", "NaNmm"} {
		if got, err := ParseWidth(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}
