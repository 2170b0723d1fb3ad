package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/creack/pty"

	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
)

// A campaign on a terminal, its standard output piped: one line, which moves
// before any collaboration has ended, and no leftovers after Ctrl-C.
func TestLiveProgress(t *testing.T) {
	if !*long {
		t.Skip("-long")
	}
	t.Parallel()
	dir := t.TempDir()
	save(t, dir, "slow.yaml", "name: slow\nreplicates: 4\nenv: exchange\nprotocol: {name: roundtable, rounds: 8}\nrule: majority\nmodel: {name: scripted/trader, latency: 300ms}\n")
	s := screentest.New(t, 80)
	var piped bytes.Buffer
	start := func() (wait func() int) {
		cmd := program(t, dir, "run", "slow.yaml")
		cmd.Stdout = &piped
		control, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
		noError(t, err)
		t.Cleanup(func() { cmd.Process.Kill(); control.Close() })
		s.Follow(control)
		return func() int { _ = cmd.Wait(); return cmd.ProcessState.ExitCode() }
	}
	wait := start()
	screentest.Until(t, "it moves", func() bool {
		lines := s.Lines()
		return len(lines) > 0 && strings.Contains(lines[len(lines)-1], " 0/4 collaborations") && !strings.HasPrefix(lines[len(lines)-1], "  0%")
	})
	s.Size(t, 60)
	screentest.Until(t, "it is drawn again", func() bool {
		lines := s.Lines()
		return strings.HasPrefix(lines[len(lines)-1], " ") && strings.HasSuffix(lines[len(lines)-1], "…")
	})
	fmt.Fprint(s.Control, "\x03")
	if code := wait(); code != cli.ExitInterrupted {
		t.Errorf("Ctrl-C ends it with code %d", code)
	}
	lines := s.Shows(t, "resume with: roundtable run slow.yaml")
	drawn := 0
	for _, l := range lines {
		if strings.Contains(l, "collaborations") && strings.Contains(l, "%") {
			drawn++
		}
	}
	if drawn != 1 {
		t.Errorf("%d lines of progress are left:\n%s", drawn, strings.Join(lines, "\n"))
	}
	if all := s.All(); strings.Contains(all, "/0 ") || strings.Contains(all, "???") {
		t.Errorf("progress of nothing: %q", all)
	}
}
