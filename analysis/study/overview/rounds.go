package overview

import (
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// Rounds returns the state at the end of each round: the share of collaborations without a decision (the bars
// of Figures 3 and 4 of paper 1) and the mean score of the standing decision.
func Rounds(c campaign.Campaign) (table.Table, bool) {
	v := c.View("")
	t := table.Table{Title: "Round by round: not yet agreed, and score of the decision that stands (paper 1, Figures 3 and 4)"}
	type measure struct {
		name string
		at   func(runs []campaign.Run, round int) table.Cell
	}
	campaign.FillByRound(v, &t, campaign.MeasureEach([]measure{{"not yet agreed, %", notYetAgreed},
		{"score", score}}, v.Groups),
		func(m measure) string { return m.name },
		func(m measure, g campaign.Group, round int) table.Cell { return m.at(g.Succeeded(), round) })
	t.Notes = []string{
		"Not yet agreed: collaborations in which no decision stands after the round.",
		v.ScoreNote() + " Mean (standard error " + v.UnitsNote() + "). " + v.CountsNote(),
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

func score(runs []campaign.Run, n int) table.Cell {
	within := slices.DeleteFunc(slices.Clone(runs), func(r campaign.Run) bool { return n > int(r.RoundsPlanned) })
	return campaign.MeanCell(within, 3, campaign.AtRound(campaign.Run.OutcomeAt, n))
}
