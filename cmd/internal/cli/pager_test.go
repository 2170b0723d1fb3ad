package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/creack/pty"
)

func TestFits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "a\nb\n": true, "a\nb\nc\n": false, "12345\n": true, "123456\n": false, "äöüßé\n": true,
	} {
		if got := fits([]byte(text), 5, 3); got != want {
			t.Errorf("%q fits: %v", text, got)
		}
	}
}

// What is no terminal gets the text as it is, whatever PAGER says.
func TestPageWritesToFiles(t *testing.T) {
	t.Setenv("PAGER", "false")
	t.Setenv("TERM", "xterm")
	var b bytes.Buffer
	if err := Page(&b, bytes.Repeat([]byte("x\n"), 1000), nil); err != nil || b.Len() != 2000 {
		t.Errorf("%d bytes: %v", b.Len(), err)
	}
}

// On a terminal without room the pager has the text, also behind what counts the bytes of a command.
func TestPageOnTerminal(t *testing.T) {
	t.Setenv("PAGER", "wc -l")
	t.Setenv("TERM", "xterm")
	control, tty, err := pty.Open()
	if err != nil {
		t.Skip("no terminal can be made here: ", err)
	}
	defer control.Close()
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 10, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	working := 0
	if err := Page(&Counter{Writer: tty}, bytes.Repeat([]byte("x\n"), 50), func() { working++ }); err != nil {
		t.Fatal(err)
	}
	if err := Page(&Counter{Writer: tty}, []byte("short\n"), func() { working++ }); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	b := make([]byte, 100)
	var said strings.Builder
	for n, err := control.Read(b); err == nil; n, err = control.Read(b) {
		said.Write(b[:n])
	}
	if got := strings.Fields(said.String()); len(got) != 2 || got[0] != "50" || got[1] != "short" || working != 1 {
		t.Errorf("%q, %d pagers", said.String(), working)
	}
}
