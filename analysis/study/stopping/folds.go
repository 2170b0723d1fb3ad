package stopping

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/crossval"
	"roundtable/analysis/table"
)

// FoldList returns the fold of each collaboration in Tables 2, 10 and 11, and the round at which each rule
// stops it, so that another program can reproduce them.
func FoldList(c campaign.Campaign) (table.Table, bool) {
	v := c.View("", "env", "rule")
	v.Whole = true
	t := v.Start("Folds and stops of each collaboration (behind early-stopping and stopping-times)")
	t.Columns = append(t.Columns, "collaboration", "unit", "fold")
	for _, m := range crossval.Methods() {
		t.Columns = append(t.Columns, m.Name())
	}
	list, notes := judgeMethods(c, v)
	for _, j := range list {
		if j.results == nil {
			continue
		}
		for i, o := range j.results[0].Outcomes {
			row := append(v.Label(j.Group), table.Word(o.ID), table.Word(j.data.Runs[i].Unit), table.Count(o.Fold+1))
			for _, r := range j.results {
				row = append(row, stopOf(r, i))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Notes = append([]string{"Fold: in which the collaboration is held out, from 1; collaborations of one unit are " +
		"held out together. Then the round at which a rule stops it, empty where it never does. Permutations and " +
		"folds have the seed 1 (Go's PCG, math/rand/v2)."}, notes...)
	addExcluded(c, &t)
	v.AddNotes(&t)
	return t, len(t.Rows) > 0
}

// stopOf returns the round at which a method stops a collaboration, or nothing.
func stopOf(r crossval.Result, run int) table.Cell {
	if r.Absent != "" || !r.Outcomes[run].Stop.Fired {
		return table.Cell{}
	}
	return table.Count(r.Outcomes[run].Stop.Round)
}
