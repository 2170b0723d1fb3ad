package debate

import (
	"fmt"
	"slices"
	"strconv"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// Strategies returns Table 1 of paper 4: the accuracy of each strategy by task, and its gain over the debate
// in fixed order.
func Strategies(c campaign.Campaign) (table.Table, bool) {
	v := debatesOf(c, func(d debateGroup) bool { return !d.isFixed() })
	t := table.Table{Title: "Debate: accuracy in % by strategy and task"}
	columns := []table.Columns[[]debateGroup]{strategyColumn(firstOf), sizeColumn(firstOf), roundsColumn(firstOf),
		labelColumns(v, firstOf)}
	for _, task := range v.tasks {
		columns = append(columns, table.First(table.Join(
			table.Column(task, func(d debateGroup) table.Cell { return d.accuraciesByQuestion().Mean() }),
			table.Columns[debateGroup]{Headers: []string{task + " gain", task + " gain low", task + " gain high"},
				Cells: v.gainCells},
		), func(d debateGroup) bool { return d.task == task }))
	}
	n := table.Column("n", func(row []debateGroup) table.Cell {
		n := 0
		for _, task := range v.tasks {
			if i := slices.IndexFunc(row, func(d debateGroup) bool { return d.task == task }); i >= 0 {
				n += len(row[i].Succeeded())
			}
		}
		return table.Count(n)
	})
	table.Fill(&t, table.Gather(v.all, debateGroup.butForTask), append(columns, n)...)
	t.Notes = []string{
		"Accuracy: share of collaborations whose final answer is right, without one it is not; mean over questions " +
			"(standard error). n counts collaborations.",
		fmt.Sprintf("Gain: over the debate in the fixed order (%s) with all else equal, paired by question and "+
			"replicate, with its 95 %% t interval over questions. It is not corrected for the number of comparisons. %s", mad, campaign.CutNote),
	}
	v.AddNotes(&t)
	return t, len(v.all) > 0
}

// hasNothingMore reports whether debates of one task are compared with none in the fixed order:
// the table outcomes has their accuracies.
func hasNothingMore(c campaign.Campaign) bool {
	v := debatesOf(c, func(d debateGroup) bool { return !d.isFixed() })
	return len(v.tasks) < 2 && !slices.ContainsFunc(v.all, func(d debateGroup) bool { _, ok := v.baseOf(d); return ok })
}

// gainCells returns what a debate gains over the one in the fixed order, with its interval.
func (v debateView) gainCells(d debateGroup) []table.Cell {
	base, ok := v.baseOf(d)
	if !ok {
		return make([]table.Cell, 3)
	}
	return campaign.PairedBy(d.Succeeded(), base.Succeeded(),
		func(r campaign.Run) (float64, bool) { return 100 * r.Right(), true }).Interval(campaign.MostOfPercent)
}

// DebateAgents returns Tables 2 to 5 of paper 4: accuracy by the size of the group.
func DebateAgents(c campaign.Campaign) (table.Table, bool) {
	v := debatesOf(c, func(d debateGroup) bool { return !d.isFixed() && d.rounds > 0 })
	var sizes []int
	for _, d := range v.all {
		sizes = append(sizes, d.size)
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	t := table.Table{Title: "Debate: accuracy in % by number of agents"}
	columns := []table.Columns[[]debateGroup]{taskColumn(firstOf), strategyColumn(firstOf), roundsColumn(firstOf),
		labelColumns(v, firstOf)}
	for _, n := range sizes {
		accuracy := table.Column(strconv.Itoa(n),
			func(d debateGroup) table.Cell { return d.accuraciesByQuestion().Mean() })
		columns = append(columns, table.First(accuracy, func(d debateGroup) bool { return d.size == n }))
	}
	table.Fill(&t, table.Gather(v.all, debateGroup.butForSize), columns...)
	t.Notes = []string{"Mean over questions (standard error)."}
	v.AddNotes(&t)
	return t, len(sizes) > 1
}
