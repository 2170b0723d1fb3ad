package tables

import (
	"slices"

	"roundtable/analysis/metrics"
	"roundtable/analysis/table"
)

// Rounds is how each round ended: the share of collaborations in which no
// decision stands (the bars of Figures 3 and 4) and the mean goodness of that decision.
func (c Campaign) Rounds() (table.Table, bool) {
	v := c.view("")
	t := v.start("rounds", "Round by round: not yet agreed, and goodness of the decision that stands (Figures 3 and 4)")
	t.Columns = append([]string{"measure"}, t.Columns...)
	t.Columns = append(t.Columns, v.atRounds()...)
	t.Columns = append(t.Columns, v.ended()...)
	for _, m := range []string{"not yet agreed, %", "goodness"} {
		for _, g := range v.groups {
			row := append([]table.Cell{table.Word(m)}, v.label(g)...)
			for n := 1; n <= v.rounds(); n++ {
				if m == "goodness" {
					row = append(row, goodness(g.done(), n))
				} else {
					row = append(row, notYetAgreed(g.done(), n))
				}
			}
			t.Rows = append(t.Rows, append(row, v.endedCells(g)...))
		}
	}
	t.Notes = []string{
		"Not yet agreed: collaborations in which no decision stands after the round.",
		v.goodnessNote() + " Mean (standard error " + v.unitsNote() + "). " + v.countsNote(),
	}
	v.notes(&t)
	return t, len(v.groups) > 0
}

func notYetAgreed(runs []Run, n int) table.Cell {
	var within []metrics.Shares
	for _, r := range runs {
		if n <= int(r.RoundsPlanned) {
			within = append(within, r.Scores)
		}
	}
	percent, ok := metrics.NotYetAgreed(within, n)
	if !ok {
		return table.Cell{}
	}
	return table.Number(percent, 1)
}

func goodness(runs []Run, n int) table.Cell {
	within := slices.DeleteFunc(slices.Clone(runs), func(r Run) bool { return n > int(r.RoundsPlanned) })
	return meanCell(within, 3, func(r Run) (float64, bool) { return r.OutcomeAt(n) })
}
