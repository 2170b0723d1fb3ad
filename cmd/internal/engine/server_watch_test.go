package engine

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// lines collects what is said.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// TestWatchSilence: a server that is silent for long is spoken of once, and once more
// when it answers; one that misses a single answer is not.
func TestWatchSilence(t *testing.T) {
	for _, tc := range []struct {
		name   string
		failed func(passed time.Duration) bool
		want   string // how each line begins
	}{
		{"it answers", func(time.Duration) bool { return false }, ""},
		{"one answer is missing", func(passed time.Duration) bool { return passed == 20*time.Second }, ""},
		{"half a minute of silence", func(passed time.Duration) bool { return passed >= 20*time.Second && passed < 50*time.Second },
			"it has not answered for 10s (refused)|it answers again after 30s"},
		{"it stays away", func(passed time.Duration) bool { return passed >= 20*time.Second }, "it has not answered for 10s (refused)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithTimeout(t.Context(), 3*time.Minute)
				defer end()
				var said lines
				began := time.Now()
				watchSilence(ctx, &said, "it", askServerEvery, silenceIsSaid, func(context.Context) error {
					if tc.failed(time.Since(began)) {
						return errors.New("refused")
					}
					return nil
				})
				var got []string
				for line := range strings.Lines(said.text.String()) {
					if line, _, _ = strings.Cut(strings.TrimSpace(line), ". Nothing"); line != "" {
						got = append(got, line)
					}
				}
				if strings.Join(got, "|") != tc.want {
					t.Errorf("it says %q, want %q", got, tc.want)
				}
			})
		})
	}
}

// TestSkew: when a server has last heard of a worker tells how far the clocks are apart.
func TestSkew(t *testing.T) {
	began := time.Now()
	seen := began.Add(time.Second)
	for _, tc := range []struct {
		off  time.Duration // of this machine's clock
		want string
	}{
		{0, ""}, {50 * time.Second, ""}, {-50 * time.Second, ""},
		{5 * time.Minute, "ahead of"}, {-5 * time.Minute, "behind"},
	} {
		got := describeSkew(began.Add(tc.off), seen.Add(tc.off), seen)
		if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%v off: %q, want %q", tc.off, got, tc.want)
		}
	}
}
