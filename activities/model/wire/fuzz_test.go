package wire

import (
	"net/http"
	"testing"
	"time"

	"roundtable/activities/model"
)

// Whatever headers say of limits, what is waited for is between nothing and a day.
func FuzzHeaders(f *testing.F) {
	for _, v := range []string{"1", "0.5", "-1", "1e300", "NaN", "Inf", "20ms", "6m0s", "1h", "Fri, 31 Dec 1999 23:59:59 GMT", "2026-01-01T00:00:00Z", "9223372036854775807", "0x10", ""} {
		f.Add("Retry-After", v, "100", "0")
		f.Add("X-Ratelimit-Reset-Requests", v, v, v)
		f.Add("Anthropic-Ratelimit-Tokens-Reset", v, v, v)
		f.Add("Retry-After-Ms", v, v, v)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, name, value, limit, remaining string) {
		h := http.Header{}
		h.Set(name, value)
		for _, what := range []string{"Requests", "Tokens"} {
			h.Set("X-Ratelimit-Limit-"+what, limit)
			h.Set("X-Ratelimit-Remaining-"+what, remaining)
			h.Set("Anthropic-Ratelimit-"+what+"-Limit", limit)
			h.Set("Anthropic-Ratelimit-"+what+"-Remaining", remaining)
		}
		if d := RetryAfter(h, now); d < 0 || d > 24*time.Hour {
			t.Errorf("%s: %q makes it wait for %v", name, value, d)
		}
		l := Limits(h, now)
		for _, a := range []model.Allowance{l.Requests, l.Tokens} {
			if a.Limit < 0 || a.Remaining < 0 || a.Reset < 0 || a.Reset > 24*time.Hour {
				t.Errorf("%q of %q: %+v", remaining, limit, a)
			}
		}
	})
}
