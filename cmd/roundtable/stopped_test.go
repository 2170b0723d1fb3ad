//go:build unix

package main

import (
	"syscall"
	"testing"
	"time"

	"roundtable/cmd/internal/screentest"
)

// TestStoppedAndContinued stops the program (Ctrl-Z, a suspended machine) while it
// starts and in the middle, for longer than anything waits: it goes on by itself.
func TestStoppedAndContinued(t *testing.T) {
	if !*long {
		t.Skip("takes minutes; run with -long")
	}
	for _, at := range []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, 0} {
		name := at.String()
		if at == 0 {
			name = "answers stored"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, dir := newVendor(t), t.TempDir()
			release := service.holdAfter(20)
			campaignFile(t, dir, service.URL, 6)
			b := starts(t, dir, nil, "run", "campaign.yaml")
			if at > 0 {
				time.Sleep(at)
			} else {
				screentest.Until(t, "answers", func() bool { return b.over() || len(storedKeys(t, dir)) > 5 })
			}
			if b.over() {
				t.Fatal("it ended before it could be stopped")
			}
			suspend(t, b, 45*time.Second)
			release()
			screentest.Until(t, "the end", b.over)
			if code := b.code(t); code != 0 {
				t.Errorf("exit %d\n%s", code, &b.said)
			}
			digestBy(t, dir, "killed")
		})
	}
}

// suspend stops the program for a while.
func suspend(t *testing.T, b *background, d time.Duration) {
	t.Helper()
	noError(t, b.Process.Signal(syscall.SIGSTOP))
	time.Sleep(d)
	noError(t, b.Process.Signal(syscall.SIGCONT))
}
