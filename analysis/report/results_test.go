package report

import (
	"strings"
	"testing"

	"roundtable/analysis/figures"
)

// A figure with more than can be read says so to who reads the page, and is no file.
func TestFiguresThatAreTooLarge(t *testing.T) {
	f := picture("rounds", "Goodness by round", nil, func() (string, error) {
		return "", figures.TooLarge{Figure: "rounds", Has: "36 panels and 1 kinds of lines", Readable: "from 1 to 24 and 16"}
	})
	if f.CanBeDrawn() || strings.Contains(f.Missing, "--json") || f.Missing != "not drawn, because it has 36 panels and 1 kinds of lines; from 1 to 24 and 16 can be read in a picture" {
		t.Errorf("%+v", f)
	}
}
