// Package screentest holds a terminal for tests: what a program writes is on its screen.
package screentest

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// Screen is a terminal: what is written to it is on its screen.
type Screen struct {
	Control, Tty *os.File
	vt           vt10x.Terminal
	mu           sync.Mutex
	written      bytes.Buffer
}

// New opens a terminal that is n columns wide, and 24 lines high.
func New(t *testing.T, columns int) *Screen {
	t.Helper()
	s := &Screen{vt: vt10x.New(vt10x.WithSize(columns, 24))}
	var err error
	if s.Control, s.Tty, err = pty.Open(); err != nil {
		t.Skip("no terminal can be made here: ", err)
	}
	t.Cleanup(func() { s.Tty.Close(); s.Control.Close() })
	s.Size(t, columns)
	go s.read(s.Control)
	return s
}

// read puts what comes from a terminal's other side on the screen.
func (s *Screen) read(control *os.File) {
	b := make([]byte, 4096)
	for {
		n, err := control.Read(b)
		s.mu.Lock()
		s.written.Write(b[:n])
		s.mu.Unlock()
		_, _ = s.vt.Write(b[:n])
		if err != nil {
			return
		}
	}
}

// Follow makes the screen that of a program that has a terminal of its own.
func (s *Screen) Follow(control *os.File) {
	s.Control = control
	go s.read(control)
}

// Size changes the width of the terminal.
func (s *Screen) Size(t *testing.T, columns int) {
	t.Helper()
	if err := pty.Setsize(s.Control, &pty.Winsize{Rows: 24, Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	s.vt.Resize(columns, 24)
}

// Lines are those of the screen that are not empty.
func (s *Screen) Lines() []string {
	var lines []string
	for line := range strings.SplitSeq(s.vt.String(), "\n") {
		if line = strings.TrimRight(line, " "); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// All returns everything that was written, control sequences too.
func (s *Screen) All() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written.String()
}

// Shows waits until some line of the screen has a text, and returns all of them.
func (s *Screen) Shows(t *testing.T, text string) []string {
	t.Helper()
	var lines []string
	Until(t, fmt.Sprintf("the screen shows %q", text), func() bool {
		lines = s.Lines()
		return strings.Contains(strings.Join(lines, "\n"), text)
	})
	return lines
}

// Until something holds, or a minute has passed. It looks for a sixth of the time at most.
func Until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		began := time.Now()
		if holds() {
			return
		}
		if began.After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
		time.Sleep(min(max(20*time.Millisecond, 5*time.Since(began)), time.Second))
	}
}
