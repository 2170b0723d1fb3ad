package discussion

import (
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

func askedCalls(r campaign.Run) (float64, bool)  { return float64(r.Asked.Calls), true }
func askedInput(r campaign.Run) (float64, bool)  { return float64(r.Asked.Input), true }
func askedOutput(r campaign.Run) (float64, bool) { return float64(r.Asked.Output), true }
func askedTokens(r campaign.Run) (float64, bool) {
	return float64(r.Asked.Tokens()), true
}

// Computes returns the calls and tokens of a discussion, also as multiples of those of a single agent (paper
// 2, §4.1: about five for consensus, ten for voting).
func Computes(c campaign.Campaign) (table.Table, bool) {
	d := discussionsOf(c)
	t := table.Table{Title: "Discussion: calls and tokens a question (paper 2, §4.1)"}
	type measure = func(campaign.Run) (float64, bool)
	mean := func(header string, decimals int, of measure) table.Columns[discussed] {
		return table.Column(header, func(x discussed) table.Cell { return x.meanCell(decimals, of) })
	}
	times := func(header string, of measure) table.Columns[discussed] {
		return table.Column(header, func(x discussed) table.Cell { return d.timesSingle(x, of) })
	}
	table.Fill(&t, d.all, d.nameColumns(),
		mean("rounds", 2, func(r campaign.Run) (float64, bool) { return float64(r.RoundsRun), true }),
		mean("calls", 2, askedCalls), mean("input tokens", 1, askedInput), mean("output tokens", 1, askedOutput),
		times("calls ×", askedCalls), times("tokens ×", askedTokens),
		table.Column("accuracy", func(x discussed) table.Cell { return x.scoresByQuestion().Mean() }),
		countColumn())
	t.Notes = []string{
		"Mean a collaboration (standard error), re-asks and answers from the cache included. Times: the mean over " +
			"that of the single agent on the same data set.",
	}
	d.addNotes(&t)
	return t, len(d.Groups) > 0 && slices.ContainsFunc(c.Runs, func(r campaign.Run) bool { return r.Asked.Calls > 0 })
}

func (x discussed) meanCell(decimals int, measure func(campaign.Run) (float64, bool)) table.Cell {
	return campaign.MeanCell(x.Succeeded(), decimals, measure)
}

// timesSingle the mean of the single agent.
func (d discussions) timesSingle(x discussed, measure func(campaign.Run) (float64, bool)) table.Cell {
	one, ok := d.referenceOf(x)
	if !ok {
		return table.Cell{}
	}
	mine, theirs := x.meanCell(0, measure), one.meanCell(0, measure)
	if mine.Value == nil || theirs.Value == nil || *theirs.Value == 0 {
		return table.Cell{}
	}
	return table.Number(*mine.Value / *theirs.Value, 1)
}
