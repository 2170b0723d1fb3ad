package runs

import (
	"testing"
	"time"

	"roundtable/activities/calls"
)

// The rate is that of the last minute, and says something of slow models as well.
func TestRate(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	p := progress{began: begun}
	for _, c := range []struct {
		after         time.Duration
		calls, tokens int64
		want          string
	}{
		{30 * time.Second, 3, 900, "6 calls/min, 30 tokens/s"},
		{60 * time.Second, 3, 900, "3 calls/min, 15 tokens/s"},
		{2 * time.Minute, 4, 1200, "1 call/min, 5 tokens/s"},
		{3 * time.Minute, 3004, 1_201_200, "3000 calls/min, 20.0k tokens/s"},
	} {
		m := calls.Reading{Calls: c.calls, InputTokens: c.tokens / 3, OutputTokens: c.tokens - c.tokens/3}
		if got := p.rateText(m, begun.Add(c.after)); got != c.want {
			t.Errorf("after %v: %q, wanted %q", c.after, got, c.want)
		}
	}
}
