package debate

import (
	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// DebateRounds returns the course of debates (paper 4, Figures 3 to 5 and 7): after
// each round the accuracy of the majority, the log-likelihood of the right
// answer and the entropy of the answers. Round 1 is before anybody saw others.
func DebateRounds(c campaign.Campaign) (table.Table, bool) {
	v := debatesOf(c, func(debateGroup) bool { return true })
	t := table.Table{Title: "Debate: accuracy, log-likelihood and entropy by round"}
	table.Fill(&t, v.measuredRows(), measureColumn(), taskColumn(debateOf), strategyColumn(debateOf),
		sizeColumn(debateOf), labelColumns(v, debateOf),
		campaign.RoundColumns(v.View, func(m measured, round int) table.Cell { return m.meanCell(m.debateGroup, round) }))
	t.Notes = append([]string{"Mean over questions of the mean over their replicates (standard error)."},
		measureNotes...)
	v.AddNotes(&t)
	return t, len(v.all) > 0
}

// DebateGains returns how much each strategy gains over MAD in the measures of Tables 2 to 5 and Figures 3 to
// 5 and 7 of paper 4, paired by question; the paper prints only means.
func DebateGains(c campaign.Campaign) (table.Table, bool) {
	v := debatesOf(c, func(d debateGroup) bool { return !d.isFixed() })
	t := table.Table{Title: "Debate: gains over the fixed order in accuracy, log-likelihood and entropy, paired by question"}
	type row struct {
		measured
		round int
		gains []float64
	}
	var rows []row
	for _, m := range v.measuredRows() {
		base, ok := v.baseOf(m.debateGroup)
		for n := 2; ok && n <= m.rounds+1; n++ {
			gains := campaign.PairedBy(m.Succeeded(), base.Succeeded(),
				func(r campaign.Run) (float64, bool) { return m.at(r, n) }).Values()
			rows = append(rows, row{m, n, gains})
		}
	}
	of := func(x row) debateGroup { return x.debateGroup }
	table.Fill(&t, rows, table.Of(measureColumn(), func(x row) measured { return x.measured }),
		taskColumn(of), strategyColumn(of), sizeColumn(of), roundsColumn(of), labelColumns(v, of),
		table.Column("round", func(x row) table.Cell { return table.Count(x.round) }),
		table.Columns[row]{Headers: []string{"gain", "gain low", "gain high"}, Cells: func(x row) []table.Cell {
			return campaign.MeanInterval(x.gains, x.decimals, x.most(x.debateGroup))
		}},
		table.Column("questions", func(x row) table.Cell { return table.Count(len(x.gains)) }))
	t.Notes = append([]string{"Gain with its 95 % t interval over the questions, each the mean over its replicates " +
		"in which both have a value. Not corrected for the number of comparisons. " + campaign.CutNote},
		measureNotes...)
	v.AddNotes(&t)
	return t, len(t.Rows) > 0
}
