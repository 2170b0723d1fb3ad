package telemetry

import (
	"net/http"
	"strings"
	"testing"
)

// At an address of this machine alone, metrics are for who names this machine.
func TestForeignHosts(t *testing.T) {
	var said strings.Builder
	m, err := Listen("127.0.0.1:0", &said)
	if err != nil {
		t.Fatal(err)
	}
	defer m.server.Close()
	at, _, _ := strings.Cut(strings.TrimPrefix(said.String(), "metrics: "), "/metrics")
	for host, want := range map[string]int{
		"": http.StatusOK, "localhost:9": http.StatusOK, "127.0.0.1": http.StatusOK, "[::1]:80": http.StatusOK,
		"evil.example": http.StatusMisdirectedRequest, "evil.example:80": http.StatusMisdirectedRequest, "127.0.0.1.evil.example": http.StatusMisdirectedRequest,
	} {
		q, err := http.NewRequest(http.MethodGet, at+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Host = host
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		if r.Body.Close(); r.StatusCode != want {
			t.Errorf("host %q: %s", host, r.Status)
		}
	}
	q, err := http.NewRequest(http.MethodGet, at+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("X", strings.Repeat("x", 80<<10)) // nothing that scrapes sends as much
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	if r.Body.Close(); r.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a long header: %s", r.Status)
	}
}
