package pages

import (
	"testing"
	"time"

	"roundtable/activities/ledger"
	"roundtable/cmd/internal/campaigns"
	"roundtable/workflows"
	"roundtable/workflows/task"
)

// What has ended is what the conditions count, whatever the engine knows of it yet.
func TestCountsAreOfOneReading(t *testing.T) {
	s := state{Conditions: []progress{{"a", 10, 40}, {"b", 10, 40}}}
	s.fill(campaigns.Status{State: "paused", Share: 0.2, Status: workflows.Status{Cells: 80, Succeeded: 19}})
	if s.Done != 20 || s.Share != 0.25 {
		t.Errorf("%d ended, share %g", s.Done, s.Share)
	}
}

// What is spent does not fall while a collaboration goes from one count to the other.
func TestSpentDoesNotFall(t *testing.T) {
	var w watched
	read := func(ended, underWay int64) int64 {
		st := campaigns.Status{At: time.Now(), Status: workflows.Status{Spent: task.Result{Calls: ended}}, UnderWay: ledger.Unended{Spent: task.Result{Calls: underWay}}}
		w.steady(&st)
		return st.Spent.Calls + st.UnderWay.Spent.Calls
	}
	for i, x := range [][3]int64{{1700, 109, 1809}, {1700, 22, 1809}, {1787, 22, 1809}, {1787, 30, 1817}} {
		if got := read(x[0], x[1]); got != x[2] {
			t.Errorf("reading %d: %d calls, want %d", i, got, x[2])
		}
	}
	halted := campaigns.Status{Status: workflows.Status{Spent: task.Result{Calls: 1800}}}
	if w.steady(&halted); halted.Spent.Calls != 1800 {
		t.Errorf("what the lake alone says becomes %d", halted.Spent.Calls)
	}
}
