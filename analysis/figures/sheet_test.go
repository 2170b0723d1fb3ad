package figures

import (
	"strings"
	"testing"
)

// A caption is broken between words, and no line leaves the picture.
func TestCaptionsStayInThePicture(t *testing.T) {
	caption := "Means with 95 % intervals; n = 500 collaborations a point. By hashed TF-IDF (1024 dimensions, rarity within a collaboration)."
	broken := lines(caption, panelWidth)
	if len(broken) < 2 || strings.Join(broken, " ") != caption {
		t.Errorf("%q", broken)
	}
	for _, line := range broken {
		if words(9).Width(line) > panelWidth {
			t.Errorf("%q is too wide", line)
		}
	}
	if one := lines("short", panelWidth); len(one) != 1 || one[0] != "short" {
		t.Errorf("%q", one)
	}
}
