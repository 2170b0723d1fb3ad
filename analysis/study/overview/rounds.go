package overview

import (
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// Rounds returns how each round ended: the share of collaborations in which no
// decision stands (the bars of Figures 3 and 4) and the mean goodness of that decision.
func Rounds(c campaign.Campaign) (table.Table, bool) {
	v := c.View("")
	t := v.Start("Round by round: not yet agreed, and goodness of the decision that stands (paper 1, Figures 3 and 4)")
	t.Columns = append([]string{"measure"}, t.Columns...)
	t.Columns = append(t.Columns, v.RoundColumns()...)
	t.Columns = append(t.Columns, v.EndedColumns()...)
	for _, m := range []string{"not yet agreed, %", "goodness"} {
		for _, g := range v.Groups {
			row := append([]table.Cell{table.Word(m)}, v.Label(g)...)
			for n := 1; n <= v.Rounds(); n++ {
				if m == "goodness" {
					row = append(row, goodness(g.Succeeded(), n))
				} else {
					row = append(row, notYetAgreed(g.Succeeded(), n))
				}
			}
			t.Rows = append(t.Rows, append(row, v.EndedCells(g)...))
		}
	}
	t.Notes = []string{
		"Not yet agreed: collaborations in which no decision stands after the round.",
		v.GoodnessNote() + " Mean (standard error " + v.UnitsNote() + "). " + v.CountsNote(),
	}
	v.AddNotes(&t)
	return t, len(v.Groups) > 0
}

func notYetAgreed(runs []campaign.Run, n int) table.Cell {
	percent, _, ok := campaign.NotYetAgreed(runs, n)
	if !ok {
		return table.Cell{}
	}
	return table.Number(percent, 1)
}

func goodness(runs []campaign.Run, n int) table.Cell {
	within := slices.DeleteFunc(slices.Clone(runs), func(r campaign.Run) bool { return n > int(r.RoundsPlanned) })
	return campaign.MeanCell(within, 3, func(r campaign.Run) (float64, bool) { return r.OutcomeAt(n) })
}
