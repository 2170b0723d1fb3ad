package main

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"roundtable/cmd/internal/campaigns"
	"roundtable/cmd/internal/cli"
	"roundtable/cmd/internal/screentest"
)

// TestResumeTriesAtOnce: while a service has asked for a long pause, status and the progress
// line say so whole; resume, and the same command again after Ctrl-C, try at once.
func TestResumeTriesAtOnce(t *testing.T) {
	t.Parallel()
	if !*long {
		t.Skip("-long")
	}
	for _, how := range []string{"resume", "pause and resume", "run again"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			v := newVendor(t)
			var answers atomic.Bool
			busy := says("busy", false, 429, openaiError("rate_limit_error", "rate_limit_exceeded"), "Retry-After", "590")
			v.set(func(a *asked) *trick {
				if a.n < 6 || answers.Load() {
					return nil
				}
				return &busy
			})
			dir := t.TempDir()
			save(t, dir, "slow.yaml", strings.Replace(fmt.Sprintf(slowCampaign, 3), "scripted/trader, latency: 40ms", "openai/fake", 1)+vendorPrices)
			b := starts(t, dir, v.at(), "run", "slow.yaml", "--no-check")
			var text string
			untilStatus(t, dir, "turns wait for the service", func(s campaigns.Status) bool {
				var w strings.Builder
				s.Write(&w)
				text = w.String()
				return strings.Contains(text, "trying again after ") && strings.Contains(text, ", until ")
			})
			contains(t, text, "rate_limit", ", since ", "roundtable resume NAME tries at once")
			screentest.Until(t, "the progress line says so", func() bool {
				_, said, ok := strings.Cut(b.said.String(), "trying again after ")
				return ok && strings.Contains(said, ", until ") && strings.Contains(said, "tries at once")
			})
			answers.Store(true)
			began := time.Now()
			switch how {
			case "pause and resume":
				ends(t, 0, dir, nil, "pause", "slow")
				b.code(t)
				ends(t, 0, dir, v.at(), "resume", "slow", "--no-check")
			case "resume":
				ends(t, 0, dir, nil, "resume", "slow")
			case "run again":
				noError(t, b.Process.Signal(os.Interrupt))
				if code := b.code(t); code != cli.ExitInterrupted {
					t.Errorf("code %d", code)
				}
				ends(t, 0, dir, v.at(), "run", "slow.yaml", "--no-check")
			}
			if code := b.code(t); how == "resume" && code != 0 {
				t.Errorf("code %d:\n%s", code, &b.said)
			}
			if took := time.Since(began); took > 50*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}
