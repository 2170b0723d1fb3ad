package wire

import (
	"cmp"
	"net/http"
	"strconv"
	"time"
)

// maxRetryAfter bounds what a server may ask for.
const maxRetryAfter = 24 * time.Hour

// RetryAfter returns the server's own hint, the most exact header first; 0 if there is none.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if d, ok := number(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	v := cmp.Or(h.Get("Retry-After"), h.Get("Llm_provider-Retry-After")) // LiteLLM passes on that of the service behind it so
	if v != "" {
		if d, ok := number(v, time.Second); ok {
			return d
		}
		if t, err := http.ParseTime(v); err == nil {
			return bounded(t.Sub(serverTime(h, now)))
		}
	}
	if v := h.Get("X-Ratelimit-Reset"); v != "" {
		return reset(v, serverTime(h, now))
	}
	return max(limitReset(h, "Requests"), limitReset(h, "Tokens"))
}

// limitReset reads OpenAI's pair of headers: when a limit is full again ("6m0s"), if it is the one that is used up.
func limitReset(h http.Header, what string) time.Duration {
	if left := h.Get("X-Ratelimit-Remaining-" + what); left != "" && left != "0" {
		return 0
	}
	v := h.Get("X-Ratelimit-Reset-" + what)
	if d, ok := number(v, time.Second); ok {
		return d
	}
	d, _ := time.ParseDuration(v)
	return bounded(d)
}

// reset returns seconds from now, or a Unix time in seconds or milliseconds.
func reset(v string, now time.Time) time.Duration {
	n, err := strconv.ParseFloat(v, 64)
	switch {
	case err != nil:
		d, _ := time.ParseDuration(v)
		return bounded(d)
	case n > 1e11 && n < 1e15:
		return bounded(time.UnixMilli(int64(n)).Sub(now))
	case n > 1e9 && n <= 1e11:
		return bounded(time.Unix(int64(n), 0).Sub(now))
	}
	d, _ := number(v, time.Second)
	return d
}

// serverTime returns the server's clock, so that a wrong one here does not matter.
func serverTime(h http.Header, now time.Time) time.Time {
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		return t
	}
	return now
}

func number(v string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n >= 0) { // NaN is refused too
		return 0, false
	}
	if n > float64(maxRetryAfter/unit) {
		return maxRetryAfter, true
	}
	return time.Duration(n * float64(unit)), true
}

func bounded(d time.Duration) time.Duration { return min(max(d, 0), maxRetryAfter) }
