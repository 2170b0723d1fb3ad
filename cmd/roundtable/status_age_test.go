package main

import (
	"strings"
	"testing"
	"time"

	"roundtable/cmd/internal/campaigns"
)

// TestStatusAge: a status that a busy worker has not just given says how old it is.
func TestStatusAge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state string
		age   time.Duration
		says  bool
	}{{"running", 5 * time.Second, true}, {"running", time.Second, false}, {"done", time.Hour, false}} {
		var b strings.Builder
		campaigns.Status{Name: "c", State: c.state, At: time.Now().Add(-c.age)}.Write(&b)
		if strings.Contains(b.String(), "as of 5s ago: its worker is busy") != c.says || strings.Contains(b.String(), "as of") != c.says {
			t.Errorf("%s for %s:\n%s", c.state, c.age, &b)
		}
	}
}
