package pages

import (
	"testing"

	"roundtable/cmd/internal/campaigns"
	"roundtable/workflows"
)

// What has ended is what the conditions count, whatever the engine knows of it yet.
func TestCountsAreOfOneReading(t *testing.T) {
	s := state{Conditions: []progress{{"a", 10, 40}, {"b", 10, 40}}}
	s.fill(campaigns.Status{State: "paused", Share: 0.2, Status: workflows.Status{Cells: 80, Succeeded: 19}})
	if s.Done != 20 || s.Share != 0.25 {
		t.Errorf("%d ended, share %g", s.Done, s.Share)
	}
}
