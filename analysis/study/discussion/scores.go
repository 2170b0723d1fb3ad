package discussion

import (
	"encoding/json"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/table"
)

// Discussions returns Figures 2, 8 to 11 of paper 2: accuracy (SQuAD: F1, and exact
// match next to it) by protocol and data set, mean and standard deviation over
// replicates, and what it is above one agent alone.
func Discussions(c campaign.Campaign) (table.Table, bool) {
	d := discussionsOf(c)
	t := d.Start("Discussion: accuracy in % by protocol and data set")
	for _, task := range d.tasks {
		t.Columns = append(t.Columns, task, task+" ± sd")
		if d.spans(task) {
			t.Columns = append(t.Columns, task+" EM")
		}
		t.Columns = append(t.Columns, task+" gain", task+" gain low", task+" gain high")
	}
	t.Columns = append(t.Columns, "n")
	for _, row := range rowsBy(d.all, func(x discussed) string { return x.rowKey() + d.Key(x.Group) }) {
		cells, n := row[0].label(), 0
		for _, task := range d.tasks {
			i := slices.IndexFunc(row, func(x discussed) bool { return x.task == task })
			if i < 0 {
				cells = append(cells, make([]table.Cell, 5+len(d.exact(task, nil)))...)
				continue
			}
			x := row[i]
			n += len(x.Succeeded())
			cells = slices.Concat(cells, overReplicates(x.Succeeded(), campaign.Run.Goodness), d.exact(task, x.Succeeded()))
			gain := make([]table.Cell, 3)
			if one, ok := d.reference(x); ok {
				gain = x.scores().Minus(one.scores()).Interval(100 * x.MostDifference())
			}
			cells = append(cells, gain...)
		}
		t.Rows = append(t.Rows, append(cells, table.Count(n)))
	}
	t.Notes = []string{
		"Accuracy (SQuAD: F1; EM is exact match), 0 without a decision: mean and sample standard deviation over the replicates, as the paper prints it. n counts collaborations.",
		"No gain: there is no single agent on the same questions; --baseline names a campaign of them.",
	}
	if slices.ContainsFunc(d.all, func(x discussed) bool { _, ok := d.reference(x); return ok }) {
		t.Notes[1] = "Gain: above the single agent, paired by question, with its 95 % t interval. It is not corrected for the number of comparisons. " + campaign.CutNote
	}
	d.notes(&t)
	return t, len(d.Groups) > 0
}

// rowKey tells single agents from discussions, and from each other.
func (x discussed) rowKey() string {
	if x.alone {
		return x.aloneName()
	}
	return ""
}

// scores by question.
func (x discussed) scores() campaign.Units {
	return campaign.PerQuestion(x.Succeeded(), campaign.Run.Goodness)
}

// exact returns the exact match of a data set of texts; nothing for others.
func (d discussions) exact(task string, runs []campaign.Run) []table.Cell {
	if !d.spans(task) {
		return nil
	}
	return overReplicates(runs, campaign.Run.Right)[:1]
}

// spans reports whether answers are words of a text.
func (d discussions) spans(task string) bool {
	return slices.ContainsFunc(d.all, func(x discussed) bool {
		return x.task == task && slices.ContainsFunc(x.Runs, func(r campaign.Run) bool { _, ok := answerable(r); return ok })
	})
}

// answerable reports whether a text answers the question: who always says that it
// does not is right (1) where it does not.
func answerable(r campaign.Run) (is, ok bool) {
	var goodness map[string]float64
	if r.BaselinesJSON == nil || json.Unmarshal([]byte(*r.BaselinesJSON), &goodness) != nil {
		return false, false
	}
	v, ok := goodness["always_unknown"]
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

// of a condition's finished discussions.
func (p part) of(x discussed) []campaign.Run {
	return slices.DeleteFunc(x.Succeeded(), func(r campaign.Run) bool { a, ok := answerable(r); return !ok || !p.keep(a) })
}

// Answerables returns Figure 3: F1 and exact match by whether the text answers the question.
func Answerables(c campaign.Campaign) (table.Table, bool) {
	d := discussionsOf(c)
	t := d.Start("Discussion: F1 in % by whether the text answers the question")
	t.Columns = append([]string{"data set"}, t.Columns...)
	for _, p := range answerableParts() {
		t.Columns = append(t.Columns, p.name, p.name+" ± sd", p.name+" EM", p.name+" n")
	}
	for _, x := range d.all {
		if !d.spans(x.task) {
			continue
		}
		row := append([]table.Cell{table.Word(x.task)}, x.label()...)
		for _, p := range answerableParts() {
			runs := p.of(x)
			row = slices.Concat(row, overReplicates(runs, campaign.Run.Goodness), overReplicates(runs, campaign.Run.Right)[:1], []table.Cell{table.Count(len(runs))})
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"Mean and sample standard deviation over the replicates; EM is exact match. n counts collaborations."}
	d.notes(&t)
	return t, len(t.Rows) > 0
}
