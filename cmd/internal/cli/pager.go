package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"unicode/utf8"

	"golang.org/x/term"
)

// Page writes a text to w. If that is a terminal on which it has no room, it is shown by the program of
// PAGER, or by less, which moves in all directions; without either it is written as it is. working is called
// before that program has the terminal: an interrupt is for it then.
func Page(w io.Writer, text []byte, working func()) error {
	to := w
	if c, ok := w.(*Counter); ok {
		to = c.Writer
	}
	if f, ok := to.(*os.File); ok && IsTerminal(f) {
		width, height, err := term.GetSize(int(f.Fd()))
		if pager := findPager(); err == nil && pager != nil && !fits(text, width, height) {
			if working != nil {
				working()
			}
			pager.Stdin, pager.Stdout, pager.Stderr = bytes.NewReader(text), f, os.Stderr
			if err := pager.Run(); err == nil || errors.Is(err, syscall.EPIPE) { // left before the end
				return nil
			}
		}
	}
	_, err := w.Write(text)
	return err
}

// fits reports whether a text has room on a screen, with a line for a prompt.
func fits(text []byte, width, height int) bool {
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	for _, line := range lines {
		if utf8.RuneCount(line) > width {
			return false
		}
	}
	return len(lines) < height
}

// findPager returns nil if there is none, or the terminal cannot show it.
func findPager() *exec.Cmd {
	words := strings.Fields(os.Getenv("PAGER"))
	if len(words) == 0 {
		words = []string{"less"}
	}
	path, err := exec.LookPath(words[0])
	if terminal := os.Getenv("TERM"); err != nil || terminal == "" || terminal == "dumb" {
		return nil
	}
	pager := exec.Command(path, words[1:]...)
	if pager.Env = os.Environ(); os.Getenv("LESS") == "" {
		pager.Env = append(pager.Env, "LESS=SX") // lines are not wrapped, and stay on the screen
	}
	return pager
}
