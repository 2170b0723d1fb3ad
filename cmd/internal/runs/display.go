package runs

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/mattn/go-isatty"
	"golang.org/x/term"

	"roundtable/envs/wording"
)

// barCells is the length of the bar on a terminal, and barFrom the narrowest
// terminal that has room for one.
const (
	barCells = 20
	barFrom  = 70
)

// clearBelow erases from the cursor to the end of the screen.
const clearBelow = "\x1b[J"

// display shows progress: one line in place on a terminal, and lines of their
// own elsewhere.
type display struct {
	out   io.Writer
	width func() int // of the terminal now; nil elsewhere
	last  string     // what the line showed last, unclipped
}

func newDisplay(out *os.File) *display {
	d := &display{out: out}
	if isatty.IsTerminal(out.Fd()) {
		d.width = func() int {
			columns, _, err := term.GetSize(int(out.Fd()))
			if err != nil || columns < 1 {
				return 80
			}
			return columns
		}
	}
	return d
}

func (d *display) isLive() bool { return d.width != nil }

// show replaces the line on a terminal, and writes another one elsewhere.
func (d *display) show(share float64, line string) {
	line = strings.ReplaceAll(wording.SafeLines(line), "\n", " ")
	if !d.isLive() {
		fmt.Fprintln(d.out, line)
		return
	}
	d.last = fmt.Sprintf("%3.0f%% ", 100*share)
	if d.width() >= barFrom {
		d.last += barText(share) + " "
	}
	d.last += line
	d.draw("\r")
}

// draw writes the line, never as long as the terminal is wide, and what ends it.
// The cursor rests at the line's beginning: whatever a resize makes of the
// line is below it, and is erased by the next draw.
func (d *display) draw(end string) {
	fmt.Fprint(d.out, "\r", clearBelow, text.Snip(d.last, d.width()-1, "…"), end)
}

// note leaves a text, whole, above the line on a terminal.
func (d *display) note(text string) {
	fmt.Fprint(d.out, "\r", clearBelow, strings.ReplaceAll(wording.SafeLines(text), "\n", " "), "\r\n")
	d.draw("\r")
}

// stop leaves the last line on the screen and the cursor below it.
func (d *display) stop() {
	if d.isLive() && d.last != "" {
		d.draw("\r\n")
	}
}

func barText(share float64) string {
	full := int(min(max(share, 0), 1) * barCells)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barCells-full) + "]"
}
