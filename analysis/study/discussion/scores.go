package discussion

import (
	"encoding/json"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// Discussions returns Figures 2 and 8 to 11 of paper 2: accuracy (SQuAD: F1, and exact match next to it) by
// protocol and data set, as mean and standard deviation over replicates, and the gain over a single agent.
func Discussions(c campaign.Campaign) (table.Table, bool) {
	d := discussionsOf(c)
	t := table.Table{Title: "Discussion: accuracy in % by protocol and data set"}
	columns := []table.Columns[[]discussed]{{Headers: d.Names(),
		Cells: func(row []discussed) []table.Cell { return row[0].label() }}}
	for _, task := range d.tasks {
		of := []table.Columns[discussed]{replicateColumns(task, task+" ± sd", campaign.Run.ScoreOrZero)}
		if d.answersAreSpans(task) {
			of = append(of, exactColumn(task+" EM"))
		}
		of = append(of, table.Columns[discussed]{Headers: []string{task + " gain", task + " gain low",
			task + " gain high"}, Cells: d.gainCells})
		columns = append(columns, table.First(table.Join(of...), func(x discussed) bool { return x.task == task }))
	}
	columns = append(columns, table.Column("n", func(row []discussed) table.Cell {
		n := 0
		for _, same := range table.Gather(row, func(x discussed) string { return x.task }) {
			n += len(same[0].Succeeded())
		}
		return table.Count(n)
	}))
	table.Fill(&t, table.Gather(d.all, func(x discussed) string { return x.rowKey() + d.Key(x.Group) }), columns...)
	t.Notes = []string{
		"Accuracy (SQuAD: F1; EM is exact match), 0 without a decision: mean and sample standard deviation over the " +
			"replicates, as the paper prints it. n counts collaborations.",
		"No gain: there is no single agent on the same questions; --baseline names a campaign of them.",
	}
	if d.hasSingle() {
		t.Notes[1] = "Gain: above the single agent, paired by question, with its 95 % t interval. It is not " +
			"corrected for the number of comparisons. " + campaign.CutNote
	}
	d.addNotes(&t)
	return t, len(d.Groups) > 0
}

// rowKey tells single agents from discussions, and from each other.
func (x discussed) rowKey() string {
	if x.alone {
		return x.aloneName()
	}
	return ""
}

// scoresByQuestion by question.
func (x discussed) scoresByQuestion() campaign.Units {
	return campaign.PerQuestion(x.Succeeded(), campaign.Run.ScoreOrZero)
}

// gainCells returns what a discussion is above the single agent, with its interval.
func (d discussions) gainCells(x discussed) []table.Cell {
	one, ok := d.referenceOf(x)
	if !ok {
		return make([]table.Cell, 3)
	}
	return x.scoresByQuestion().Minus(one.scoresByQuestion()).Interval(100 * x.MostDifference())
}

// answersAreSpans reports whether answers are words of a text.
func (d discussions) answersAreSpans(task string) bool {
	return slices.ContainsFunc(d.all, func(x discussed) bool {
		return x.task == task && slices.ContainsFunc(x.Runs,
			func(r campaign.Run) bool { _, ok := isAnswerable(r); return ok })
	})
}

// isAnswerable reports whether a text answers the question: who always says that it
// does not is right (1) where it does not.
func isAnswerable(r campaign.Run) (is, ok bool) {
	var score map[string]float64
	if r.BaselinesJSON == nil || json.Unmarshal([]byte(*r.BaselinesJSON), &score) != nil {
		return false, false
	}
	v, ok := score["always_unknown"]
	return v < 1, ok
}

// part of the questions of a text.
type part struct {
	name string
	keep func(answerable bool) bool
}

func answerableParts() []part {
	return []part{
		{"all", func(bool) bool { return true }},
		{"answerable", func(a bool) bool { return a }},
		{"not answerable", func(a bool) bool { return !a }},
	}
}

// runsOf a condition's finished discussions.
func (p part) runsOf(x discussed) []campaign.Run {
	return x.Having(func(r campaign.Run) bool { a, ok := isAnswerable(r); return ok && p.keep(a) })
}

// Answerables returns Figure 3 of paper 2: F1 and exact match by whether the text answers the question.
func Answerables(c campaign.Campaign) (table.Table, bool) {
	d := discussionsOf(c)
	t := table.Table{Title: "Discussion: F1 in % by whether the text answers the question"}
	columns := []table.Columns[discussed]{d.nameColumns()}
	for _, p := range answerableParts() {
		columns = append(columns, table.Of(
			table.Join(replicateColumns(p.name, p.name+" ± sd", campaign.Run.ScoreOrZero), exactColumn(p.name+" EM"),
				table.Column(p.name+" n", func(x discussed) table.Cell { return table.Count(len(x.Succeeded())) })),
			func(x discussed) discussed { x.Runs = p.runsOf(x); return x }))
	}
	texts := slices.DeleteFunc(slices.Clone(d.all), func(x discussed) bool { return !d.answersAreSpans(x.task) })
	kinds := d.meansOfKinds(texts, true)
	table.Fill(&t, slices.Concat(texts, kinds), columns...)
	t.Notes = []string{"Mean and sample standard deviation over the replicates; EM is exact match. n counts " +
		"collaborations."}
	addKindsNote(&t, kinds, "without approval voting, as in the paper.")
	d.addNotes(&t)
	return t, len(t.Rows) > 0
}
