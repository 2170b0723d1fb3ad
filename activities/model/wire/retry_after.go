package wire

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// maxRetryAfter bounds what a server may ask for.
const maxRetryAfter = 24 * time.Hour

// RetryAfter returns how long the server asks to wait, from the most exact header; 0 if it does not
// say.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} { // the second of Azure
		if d, ok := parseNumber(h.Get(name), time.Millisecond); ok {
			return d
		}
	}
	now = serverTime(h, now)
	// LiteLLM passes on the header of the service behind it under another name.
	for _, name := range []string{"Retry-After", "X-Retry-After", "Llm_provider-Retry-After", "X-Ratelimit-Reset",
		"X-Rate-Limit-Reset", "X-Ratelimit-Reset-After"} {
		if d, ok := waitOf(h.Get(name), now); ok {
			return d
		}
	}
	wait := time.Duration(0)
	for name := range h { // of limits that are used up, as X-Ratelimit-Remaining-Tokens-Minute
		if strings.Contains(name, "Remaining") && h.Get(name) == "0" {
			d, _ := waitOf(h.Get(strings.Replace(name, "Remaining", "Reset", 1)), now)
			wait = max(wait, d)
		}
	}
	for _, limit := range []string{"Requests", "Tokens"} { // sent without what remains
		if h.Get("X-Ratelimit-Remaining-"+limit) == "" {
			d, _ := waitOf(h.Get("X-Ratelimit-Reset-"+limit), now)
			wait = max(wait, d)
		}
	}
	if m := policyReset.FindStringSubmatch(h.Get("Ratelimit")); m != nil && wait == 0 {
		wait, _ = waitOf(m[1], now)
	}
	return wait
}

// policyReset finds the time until a reset in the header of the IETF's draft: "default";r=0;t=4.
var policyReset = regexp.MustCompile(`;\s*r=0\b.*?;\s*t=(\d+)`)

// inWords finds a time to wait in an error's message: "try again in 4s", "retry after 2 seconds".
var inWords = regexp.MustCompile(`(?i)(?:again|retry|wait|reset|available|come back)[^.0-9]{0,30}?\b(?:in|after|for)?\s*(?:about |approximately )?((?:\d+(?:\.\d+)?\s*(?:milliseconds?|ms|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\b[ ,]*(?:and )?)+|(?:\d+(?:\.\d+)?(?:ms|h|m|s))+)`)

// inChinese finds it in Chinese: "6 秒后重试".
var inChinese = regexp.MustCompile(`((?:\d+(?:\.\d+)?\s*(?:小时|分钟?|秒钟?)\s*)+)[之以]?后`)

// oneUnit splits what inWords finds.
var oneUnit = regexp.MustCompile(`(?i)(\d+(?:\.\d+)?)\s*(ms|mil|h|m|s|小时|分|秒)`)

// retryAfter returns when to come back: what the body says in a member of its own, the
// headers, or the message; 0 if none does.
func (w Words) retryAfter(h http.Header, at time.Time) time.Duration {
	if w.RetryAfter > 0 {
		return w.RetryAfter
	}
	if d := RetryAfter(h, at); d > 0 {
		return d
	}
	return waitInWords(w.Message)
}

func waitInWords(message string) (wait time.Duration) {
	units := map[string]time.Duration{"ms": time.Millisecond, "mil": time.Millisecond, "h": time.Hour, "m": time.Minute,
		"s": time.Second, "小时": time.Hour, "分": time.Minute, "秒": time.Second}
	m := inWords.FindStringSubmatch(message)
	if m == nil {
		m = inChinese.FindStringSubmatch(message)
	}
	if m == nil {
		return 0
	}
	for _, part := range oneUnit.FindAllStringSubmatch(m[1], -1) {
		d, _ := parseNumber(part[1], units[strings.ToLower(part[2])])
		wait += d
	}
	return boundWait(wait)
}

// waitOf returns how long to wait, in every spelling that services use: seconds ("4", "4.0",
// "4s", "6m0s", "4 seconds", in quotes), the first of a list, a date (HTTP or ISO 8601), or a Unix time in
// seconds or milliseconds. What is past is 0; false if it is none of these.
func waitOf(v string, now time.Time) (time.Duration, bool) {
	v = strings.Trim(strings.TrimSpace(v), `"`)
	if t, err := http.ParseTime(v); err == nil {
		return boundWait(t.Sub(now)), true
	}
	v, _, _ = strings.Cut(v, ",")
	v, _, _ = strings.Cut(strings.TrimSpace(v), ";")
	if n, err := strconv.ParseFloat(v, 64); err == nil && !now.IsZero() {
		switch {
		case n > 1e11 && n < 1e15:
			return boundWait(time.UnixMilli(int64(n)).Sub(now)), true
		case n > 1e9 && n <= 1e11:
			return boundWait(time.Unix(int64(n), 0).Sub(now)), true
		}
	}
	if d, ok := parseNumber(v, time.Second); ok {
		return d, true
	}
	if d, err := time.ParseDuration(strings.ReplaceAll(v, " ", "")); err == nil {
		return boundWait(d), true
	}
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(form, v); err == nil && !now.IsZero() {
			return boundWait(t.Sub(now)), true
		}
	}
	d := waitInWords("wait " + v) // "30 seconds"
	return d, d > 0
}

// serverTime returns the server's clock, so that a wrong one here does not matter.
func serverTime(h http.Header, now time.Time) time.Time {
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		return t
	}
	return now
}

func parseNumber(v string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n >= 0) { // NaN is refused too
		return 0, false
	}
	if n > float64(maxRetryAfter/unit) {
		return maxRetryAfter, true
	}
	return time.Duration(n * float64(unit)), true
}

func boundWait(d time.Duration) time.Duration { return min(max(d, 0), maxRetryAfter) }

// retryFields are the members of an error that tell how long to wait before a retry.
type retryFields struct {
	Delay     jsontext.Value `json:"retryDelay"`
	After     jsontext.Value `json:"retry_after"`
	Camel     jsontext.Value `json:"retryAfter"`
	Seconds   jsontext.Value `json:"retry_after_seconds"`
	ResetsIn  jsontext.Value `json:"resets_in_seconds"`
	Wait      jsontext.Value `json:"wait_seconds"`
	Estimated jsontext.Value `json:"estimated_time"` // Hugging Face, while a model is loaded
	Millis    jsontext.Value `json:"retry_after_ms"`
	MilliCase jsontext.Value `json:"retryAfterMs"`
}

// wait returns the first wait that they tell; 0 if none does.
func (f retryFields) wait() (wait time.Duration) {
	for _, v := range []jsontext.Value{f.Delay, f.After, f.Camel, f.Seconds, f.ResetsIn, f.Wait, f.Estimated} {
		if wait, _ = waitOf(Scalar(v), time.Now()); wait > 0 {
			return wait
		}
	}
	for _, v := range []jsontext.Value{f.Millis, f.MilliCase} {
		if wait, _ = parseNumber(Scalar(v), time.Millisecond); wait > 0 {
			return wait
		}
	}
	return 0
}

// readHeaders returns headers that stand in a JSON object.
func readHeaders(v jsontext.Value) http.Header {
	var members map[string]jsontext.Value
	ReadObject(v, &members)
	h := http.Header{}
	for name, value := range members {
		h.Set(name, Scalar(value))
	}
	return h
}
