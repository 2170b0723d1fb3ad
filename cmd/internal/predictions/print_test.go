package predictions

import (
	"testing"

	"roundtable/workflows"
	"roundtable/workflows/plan"
)

// No more cells run at once than there are, and no more than calls may be made at once.
func TestCellsAtOnce(t *testing.T) {
	t.Parallel()
	for want, of := range map[int]struct {
		limits plan.Limits
		cells  int
	}{
		4:                       {plan.Limits{Calls: 4}, 1000},
		3:                       {plan.Limits{Calls: 4, Collaborations: 3}, 1000},
		7:                       {plan.Limits{}, 7},
		workflows.DefaultWindow: {plan.Limits{}, 100000},
	} {
		if got := atOnce(of.limits, of.cells); got != want {
			t.Errorf("of %d cells under %+v run %d at once, want %d", of.cells, of.limits, got, want)
		}
	}
}
