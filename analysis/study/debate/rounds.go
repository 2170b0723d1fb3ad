package debate

import (
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// DebateRounds returns the course of debates (paper 4, Figures 3 to 5 and 7): after
// each round the accuracy of the majority, the log-likelihood of the right
// answer and the entropy of the answers. Round 1 is before anybody saw others.
func DebateRounds(c campaign.Campaign) (table.Table, bool) {
	v := debatesOf(c, func(debateGroup) bool { return true })
	t := table.Table{Title: "Debate: accuracy, log-likelihood and entropy by round"}
	t.Columns = slices.Concat([]string{"measure", "task", "strategy", "agents"}, v.Labels, v.RoundColumns())
	for _, m := range debateMeasures() {
		for _, d := range v.all {
			row := append([]table.Cell{table.Word(m.name), table.Word(d.task), table.Word(d.strategy), table.Count(d.size)}, v.Label(d.Group)...)
			for n := 1; n <= v.Rounds(); n++ {
				row = append(row, m.cell(d, n))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Notes = append([]string{"Mean over questions of the mean over their replicates (standard error)."}, measureNotes...)
	v.AddNotes(&t)
	return t, len(v.all) > 0
}

// DebateGains returns what each strategy gains over MAD in the same measures, paired
// by question. Tables 2 to 5 and Figures 3 to 5 and 7 of paper 4 print the means
// alone.
func DebateGains(c campaign.Campaign) (table.Table, bool) {
	v := debatesOf(c, func(d debateGroup) bool { return !d.fixed() })
	t := table.Table{Title: "Debate: gains over " + mad + " in accuracy, log-likelihood and entropy, paired by question"}
	t.Columns = slices.Concat([]string{"measure", "task", "strategy", "agents", "debate rounds"}, v.Labels, []string{"round", "gain", "gain low", "gain high", "questions"})
	for _, m := range debateMeasures() {
		for _, d := range v.all {
			base, ok := v.base(d)
			for n := 2; ok && n <= d.rounds+1; n++ {
				row := append([]table.Cell{table.Word(m.name), table.Word(d.task), table.Word(d.strategy), table.Count(d.size), table.Count(d.rounds)}, v.Label(d.Group)...)
				gains := campaign.PairedBy(d.Succeeded(), base.Succeeded(), func(r campaign.Run) (float64, bool) { return m.at(r, n) }).Values()
				row = append(append(row, table.Count(n)), campaign.MeanInterval(gains, m.decimals, m.most(d))...)
				t.Rows = append(t.Rows, append(row, table.Count(len(gains))))
			}
		}
	}
	t.Notes = append([]string{"Gain with its 95 % t interval over the questions, each the mean over its replicates in which both have a value. Not corrected for the number of comparisons. " + campaign.CutNote}, measureNotes...)
	v.AddNotes(&t)
	return t, len(t.Rows) > 0
}
