package figures

import (
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
)

// A caption is broken between words, and no line leaves the picture.
func TestCaptionsStayInThePicture(t *testing.T) {
	const width = 5 * vg.Inch
	caption := "Means with 95 % intervals; n = 500 collaborations a point. By hashed TF-IDF (1024 dimensions, rarity within a collaboration)."
	broken := Lines(caption, 9, width)
	if len(broken) < 2 || strings.Join(broken, " ") != caption {
		t.Errorf("%q", broken)
	}
	for _, line := range broken {
		if Words(9).Width(line) > width {
			t.Errorf("%q is too wide", line)
		}
	}
	if one := Lines("short", 9, width); len(one) != 1 || one[0] != "short" {
		t.Errorf("%q", one)
	}
}

// A word that fits no line is broken between its parts, and nothing of it is lost.
func TestLongWordsAreBroken(t *testing.T) {
	for _, word := range []string{"openai/gpt-4o-mini-2024-07-18", strings.Repeat("ä", 60), "w"} {
		broken := Lines(word, 9, vg.Inch)
		for _, line := range broken {
			if Words(9).Width(line) > vg.Inch || strings.ToValidUTF8(line, "?") != line {
				t.Errorf("%q of %q", line, broken)
			}
		}
		if strings.Join(broken, "") != word {
			t.Errorf("%q is broken into %q", word, broken)
		}
	}
	if got := Lines("openai/gpt-4o-mini-2024-07-18", 9, vg.Inch); got[0] != "openai/gpt-4o-" {
		t.Errorf("%q", got)
	}
}

// What is cut fits, and nothing is cut for nothing.
func TestCut(t *testing.T) {
	if got := Cut("unanimous", 9, vg.Inch); got != "unanimous" {
		t.Errorf("%q", got)
	}
	got := Cut("openai/gpt-4o-mini-2024-07-18", 9, vg.Inch)
	if !strings.HasPrefix(got, "openai/gpt") || !strings.HasSuffix(got, "…") || Words(9).Width(got) > vg.Inch {
		t.Errorf("%q", got)
	}
}

// A frame has room for all its lines, and more of it where the figure is narrow.
func TestFrameIsAsHighAsItsLines(t *testing.T) {
	f := Frame{Title: "Outcome by condition, with 95 % intervals", Simulated: "SIMULATED", Caption: strings.Repeat("word ", 40)}
	if wide, narrow := f.Head(8*vg.Inch), f.Head(2*vg.Inch); wide != 3*LineHeight+1.5*Gap || narrow <= wide {
		t.Errorf("above: %v and %v", wide, narrow)
	}
	if wide, narrow := f.Foot(8*vg.Inch), f.Foot(2*vg.Inch); narrow <= wide {
		t.Errorf("below: %v and %v", wide, narrow)
	}
}
