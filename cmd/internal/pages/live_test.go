package pages

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
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

// The speed is that of a running campaign's last minute, and says how long the rest takes.
func TestSpeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w watched
		calls, share := int64(0), 0.
		look := func(is string) state {
			s := state{State: is}
			w.measure(&s, calls, share)
			return s
		}
		if s := look("running"); s.PerSecond != nil || s.Left != "" {
			t.Errorf("of one look: %+v", s)
		}
		for step := range 30 { // a call a second, and later two
			time.Sleep(10 * time.Second)
			calls, share = calls+10+10*int64(step/20), share+0.01
			s := look("running")
			want := map[int]string{0: "1 16m30s", 19: "1 13m20s", 29: "2 11m40s"}[step]
			if got := fmt.Sprint(*s.PerSecond, " ", s.Left); want != "" && got != want {
				t.Errorf("step %d: %s, want %s", step, got, want)
			}
		}
		if oldest := time.Since(w.marks[0].at); oldest != 70*time.Second {
			t.Errorf("it is measured over %v", oldest)
		}
		if s := look("paused"); s.PerSecond != nil || w.marks != nil {
			t.Errorf("paused: %+v", s)
		}
	})
}

// A collaboration is shown beside those of its instance and replicate in other conditions, and its own latest one.
func TestPairs(t *testing.T) {
	row := func(condition string, generation, instance int32) record.Collaboration {
		return record.Collaboration{Key: record.Key{ConditionID: condition, CollaborationID: fmt.Sprintf("%s-i%d-r0", condition, instance), Generation: generation}, Instance: instance}
	}
	own := row("a", 0, 0)
	all := pairsOf(campaign.Campaign{}, []record.Collaboration{own, row("a", 1, 0), row("b", 0, 0), row("b", 0, 1)}, own, []string{"b-i0-r0"})
	if got := fmt.Sprint(all); got != "[{a-i0-r0 the latest generation false} {b-i0-r0 b-i0-r0 true}]" {
		t.Error(got)
	}
}
