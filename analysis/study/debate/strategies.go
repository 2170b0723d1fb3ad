package debate

import (
	"fmt"
	"slices"
	"strconv"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// rows returns the debates without regard to their task, in the order of the plan.
func (v debateView) rows(same func(a, b debateGroup) bool) [][]debateGroup {
	var rows [][]debateGroup
	for _, d := range v.all {
		i := slices.IndexFunc(rows, func(row []debateGroup) bool { return same(row[0], d) })
		if i < 0 {
			i = len(rows)
			rows = append(rows, nil)
		}
		rows[i] = append(rows[i], d)
	}
	return rows
}

// Strategies returns Table 1 of paper 4: accuracy of each strategy by task, and what
// it gains over the debate in the fixed order.
func Strategies(c campaign.Campaign) (table.Table, bool) {
	v := debatesOf(c, func(d debateGroup) bool { return !d.fixed() })
	t := table.Table{Title: "Debate: accuracy in % by strategy and task", Columns: []string{"strategy", "agents", "debate rounds"}}
	t.Columns = append(t.Columns, v.Labels...)
	for _, task := range v.tasks {
		t.Columns = append(t.Columns, task, task+" gain", task+" gain low", task+" gain high")
	}
	t.Columns = append(t.Columns, "n")
	for _, row := range v.rows(func(a, b debateGroup) bool {
		return a.strategy == b.strategy && a.size == b.size && a.rounds == b.rounds && slices.Equal(a.others, b.others)
	}) {
		cells := append([]table.Cell{table.Word(row[0].strategy), table.Count(row[0].size), table.Count(row[0].rounds)}, v.Label(row[0].Group)...)
		n := 0
		for _, task := range v.tasks {
			i := slices.IndexFunc(row, func(d debateGroup) bool { return d.task == task })
			if i < 0 {
				cells = append(cells, make([]table.Cell, 4)...)
				continue
			}
			n += len(row[i].Succeeded())
			gain := make([]table.Cell, 3)
			if base, ok := v.base(row[i]); ok {
				gain = campaign.PairedBy(row[i].Succeeded(), base.Succeeded(), func(r campaign.Run) (float64, bool) { return 100 * r.Right(), true }).Interval(campaign.MostOfPercent)
			}
			cells = append(cells, append([]table.Cell{row[i].questions().Mean()}, gain...)...)
		}
		t.Rows = append(t.Rows, append(cells, table.Count(n)))
	}
	t.Notes = []string{
		"Accuracy: share of collaborations whose final answer is right, without one it is not; mean over questions (standard error). n counts collaborations.",
		fmt.Sprintf("Gain: over %s with all else equal, paired by question and replicate, with its 95 %% t interval over questions. It is not corrected for the number of comparisons. %s", mad, campaign.CutNote),
	}
	v.AddNotes(&t)
	return t, len(v.all) > 0
}

// DebateAgents returns Tables 2 to 5 of paper 4: accuracy by the size of the group.
func DebateAgents(c campaign.Campaign) (table.Table, bool) {
	v := debatesOf(c, func(d debateGroup) bool { return !d.fixed() && d.rounds > 0 })
	var sizes []int
	for _, d := range v.all {
		sizes = append(sizes, d.size)
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	t := table.Table{Title: "Debate: accuracy in % by number of agents", Columns: []string{"task", "strategy", "debate rounds"}}
	t.Columns = append(t.Columns, v.Labels...)
	for _, n := range sizes {
		t.Columns = append(t.Columns, strconv.Itoa(n))
	}
	for _, row := range v.rows(butForSize) {
		cells := append([]table.Cell{table.Word(row[0].task), table.Word(row[0].strategy), table.Count(row[0].rounds)}, v.Label(row[0].Group)...)
		for _, n := range sizes {
			cell := table.Cell{}
			if i := slices.IndexFunc(row, func(d debateGroup) bool { return d.size == n }); i >= 0 {
				cell = row[i].questions().Mean()
			}
			cells = append(cells, cell)
		}
		t.Rows = append(t.Rows, cells)
	}
	t.Notes = []string{"Mean over questions (standard error)."}
	v.AddNotes(&t)
	return t, len(sizes) > 1
}
