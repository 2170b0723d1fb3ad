package wire

import (
	"net/http"
	"net/netip"
	"testing"
	"time"

	"roundtable/activities/model"
)

func TestLimits(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		headers []string
		want    model.Limits
	}{
		"none": {nil, model.Limits{}},
		"OpenAI": {[]string{"X-Ratelimit-Limit-Requests", "60", "X-Ratelimit-Remaining-Requests", "59", "X-Ratelimit-Reset-Requests", "1s",
			"X-Ratelimit-Limit-Tokens", "150000", "X-Ratelimit-Remaining-Tokens", "149984", "X-Ratelimit-Reset-Tokens", "6m0s"},
			model.Limits{Requests: model.Allowance{Limit: 60, Remaining: 59, Reset: time.Second}, Tokens: model.Allowance{Limit: 150000, Remaining: 149984, Reset: 6 * time.Minute}}},
		"Anthropic, output is tighter": {[]string{"Anthropic-Ratelimit-Requests-Limit", "50", "Anthropic-Ratelimit-Requests-Remaining", "49", "Anthropic-Ratelimit-Requests-Reset", "2026-11-21T12:00:02Z",
			"Anthropic-Ratelimit-Input-Tokens-Limit", "40000", "Anthropic-Ratelimit-Input-Tokens-Remaining", "39000", "Anthropic-Ratelimit-Input-Tokens-Reset", "2026-11-21T12:00:02Z",
			"Anthropic-Ratelimit-Output-Tokens-Limit", "8000", "Anthropic-Ratelimit-Output-Tokens-Remaining", "1000", "Anthropic-Ratelimit-Output-Tokens-Reset", "2026-11-21T12:00:53Z"},
			model.Limits{Requests: model.Allowance{Limit: 50, Remaining: 49, Reset: 2 * time.Second}, Tokens: model.Allowance{Limit: 8000, Remaining: 1000, Reset: 53 * time.Second}}},
		"nonsense": {[]string{"X-Ratelimit-Limit-Requests", "many", "X-Ratelimit-Remaining-Requests", "1", "X-Ratelimit-Limit-Tokens", "-5", "X-Ratelimit-Remaining-Tokens", "3"}, model.Limits{}},
		"half":     {[]string{"X-Ratelimit-Limit-Requests", "60"}, model.Limits{}},
	} {
		h := http.Header{}
		for i := 0; i+1 < len(c.headers); i += 2 {
			h.Set(c.headers[i], c.headers[i+1])
		}
		if got := Limits(h, now); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestAddresses(t *testing.T) {
	for _, c := range []struct {
		name, address string
		ok            bool
	}{
		{"api.openai.com", "104.18.7.192", true},
		{"api.openai.com", "10.0.0.8", false},
		{"api.openai.com", "127.0.0.1", false},
		{"gpu1", "10.0.0.8", true},
		{"gpu1", "127.0.0.1", false},
		{"localhost", "127.0.0.1", true},
		{"LOCALHOST", "::1", true},
		{"vllm.localhost", "::1", true},
		{"127.0.0.1", "127.0.0.1", true},
		{"evil.org", "::ffff:127.0.0.1", false},
		{"evil.org", "169.254.169.254", false},
		{"evil.org", "::ffff:169.254.169.254", false},
		{"evil.org", "fe80::1%eth0", false},
		{"evil.org", "fd00:ec2::254", false},
		{"evil.org", "100.100.100.200", false},
		{"evil.org", "168.63.129.16", false},
		{"evil.org", "0.0.0.0", false},
		{"localhost", "0.0.0.0", false},
		{"evil.org", "224.0.0.1", false},
	} {
		if err := checkAddress(c.name, netip.MustParseAddr(c.address), []string{"api.openai.com"}); (err == nil) != c.ok {
			t.Errorf("%s at %s: %v", c.name, c.address, err)
		}
	}
}

func TestForbiddenAddressIsRefusedWhenDialled(t *testing.T) {
	report := NewReporter("openai")
	for _, address := range []string{"169.254.169.254:80", "[fe80::1]:80", "0.0.0.0:80"} {
		conn, err := dialer(nil).dial(t.Context(), "tcp", address)
		if err == nil {
			conn.Close()
			t.Fatalf("connected to %s", address)
		}
		e := report.Broken(t.Context(), &Call{}, err)
		if e.Class != model.Pause || e.Code != "address_refused" || !e.Unbilled {
			t.Errorf("%s: got %+v", address, *e)
		}
	}
}

// The most exact header comes first: milliseconds, then seconds, then what LiteLLM hands on of
// the service behind it, then the limit that is used up.
func TestRetryAfterIsTheMostExact(t *testing.T) {
	h := http.Header{}
	for _, one := range []struct {
		header, value string
		want          time.Duration
	}{
		{"X-Ratelimit-Reset-Requests", "1s", time.Second},
		{"X-Ratelimit-Remaining-Requests", "3", 0}, // it is not the one that is used up
		{"Anthropic-Ratelimit-Tokens-Reset", "40", 0},
		{"Anthropic-Ratelimit-Tokens-Remaining", "0", 40 * time.Second},
		{"llm_provider-retry-after", "60", time.Minute},
		{"Retry-After", "5", 5 * time.Second},
		{"Retry-After-Ms", "1500", 1500 * time.Millisecond},
	} {
		h.Set(one.header, one.value)
		if got := RetryAfter(h, time.Time{}); got != one.want {
			t.Errorf("with %s: %v, want %v", one.header, got, one.want)
		}
	}
}

func TestReset(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for v, want := range map[string]time.Duration{
		"12": 12 * time.Second, "1800000030": 30 * time.Second, "1800000030000": 30 * time.Second,
		"1700000000": 0, "6m0s": 6 * time.Minute, "x": 0, "-1": 0, "NaN": 0, "Inf": maxRetryAfter,
		"4s": 4 * time.Second, "4.0": 4 * time.Second, "4, 4": 4 * time.Second, "4;w=60": 4 * time.Second, "1.5": 1500 * time.Millisecond,
		"350ms": 350 * time.Millisecond, "1h 2m": 62 * time.Minute, "soon": 0, "": 0,
		now.Add(9 * time.Second).UTC().Format(http.TimeFormat): 9 * time.Second,
		now.Add(9 * time.Second).UTC().Format(time.RFC3339):    9 * time.Second,
		now.Add(-time.Hour).UTC().Format(http.TimeFormat):      0,
	} {
		if got, _ := waitOf(v, now); got != want {
			t.Errorf("waitOf(%q) = %v, want %v", v, got, want)
		}
	}
}

func TestOrdinaryErrorTextStaysReadable(t *testing.T) {
	const text = "Missing bearer or basic authentication in header. See the risk-averse task-list."
	if got := NewReporter("openai", "CANARY-7f3a").Text(text, 2048); got != text {
		t.Errorf("got %q", got)
	}
}
