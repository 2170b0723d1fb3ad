package overview

import (
	"cmp"
	"fmt"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
	"roundtable/envs/wording"
	"roundtable/workflows/until"
)

// Answer returns each comparison of a campaign's question with its anytime-valid interval, when it was
// decided, and what stopping saved; false if the campaign has no question.
func Answer(c campaign.Campaign) (table.Table, bool) {
	t := table.Table{}
	q := c.Question
	if q == nil {
		return t, false
	}
	t.Title = fmt.Sprintf("Is the question of %s answered? %s by %s", c.Name, q.Measure, q.Compare)
	course, design, err := q.Look(c)
	if err != nil {
		t.Notes = []string{fmt.Sprintf("No comparison: %v.", err)}
		return t, true
	}
	rows := course.Comparisons()
	table.Fill(&t, rows, answerColumns(course, design.Units())...)
	t.Notes = append([]string{answerNote(c, course, design)}, unitsNotes(c, course, design)...)
	t.Notes = append(t.Notes, savedNote(c))
	v := c.View("")
	v.Looked = false // these intervals hold
	v.AddNotes(&t)
	return t, true
}

// answerNote says what the columns are.
func answerNote(c campaign.Campaign, course *until.Course, design *until.Design) string {
	q := c.Question
	order := "in the order of the replicates"
	if design.IsDrawn() {
		order = "in an order drawn by the seed"
	}
	family := ""
	if n := len(course.Comparisons()); n > 1 {
		family = fmt.Sprintf(" and over all %d comparisons", n)
	}
	return fmt.Sprintf("%s of %d looked at, %s. A unit is an instance with all its replicates, or a replicate of an "+
		"only instance; all weigh the same. A - B: mean difference of %s over n units, in each over the pairs of "+
		"cells that differ in %s alone: first over replicates, then over the combinations of values on the other axes. "+
		"From, to: confidence sequences (%s), which hold at all looks at once%s with probability %v. "+
		"A comparison is decided when %s; it is then left as it is. Collaborations without a decision count as in "+
		"the column outcome; those that failed have no value.",
		wording.Count(course.Units(), "unit"), design.Units(), order, q.Measure, q.Compare, methodText(q.Method),
		family, 1-q.Level, q.Goal())
}

// unitsNotes says what is not as in a whole plan without failures: pairs that are left out,
// intervals that there are not, environments that weigh differently.
func unitsNotes(c campaign.Campaign, course *until.Course, design *until.Design) (notes []string) {
	for _, x := range course.Comparisons() {
		if x.LeftOut > 0 {
			notes = append(notes, fmt.Sprintf("%s - %s: %s left out, of which a cell has no value. If they are of "+
				"one combination of values on the other axes, it weighs less in the difference.", x.A, x.B,
				wording.Count(x.LeftOut, "pair")))
		}
		if x.Lacks != "" {
			notes = append(notes, fmt.Sprintf("%s - %s has no interval yet: %s (n = %d).", x.A, x.B, x.Lacks, x.Pairs))
		}
	}
	shares := design.Shares(course.Units())
	if len(shares) < 2 {
		return notes
	}
	names := map[string]string{}
	for _, condition := range c.Question.Grid.Conditions {
		for _, g := range c.View("").Groups {
			if g.ID == condition.ID {
				names[condition.Env] = g.Settings["env"]
			}
		}
	}
	var text []string
	for _, s := range shares {
		text = append(text, fmt.Sprintf("%d of %d of %s", s.Looked, s.Of, cmp.Or(names[s.Env], s.Env)))
	}
	return append(notes, fmt.Sprintf("Units by environment: %s. An environment weighs as many as it has units.",
		wording.And(text)))
}

func methodText(method string) string {
	if method == until.Betting {
		return "betting: for any distribution within the bounds"
	}
	return "asymptotic: for large samples, exact for normal differences; rare large differences of one sign can " +
		"exceed the level, which method betting with bounds low and high does not"
}

func answerColumns(course *until.Course, units int) []table.Columns[until.Comparison] {
	column := table.Column[until.Comparison]
	verdicts := map[string]string{until.Open: "open", until.Differs: "differs", until.Small: "too small to matter",
		until.Precise: "precise enough"}
	return []table.Columns[until.Comparison]{
		column("A", func(x until.Comparison) table.Cell { return table.Word(x.A) }),
		column("B", func(x until.Comparison) table.Cell { return table.Word(x.B) }),
		column("n", func(x until.Comparison) table.Cell { return table.Count(x.Pairs) }),
		column("A - B", func(x until.Comparison) table.Cell { return table.NumberOrEmpty(x.Mean, 4) }),
		{Headers: []string{"from", "to"}, Cells: func(x until.Comparison) []table.Cell {
			if x.Interval == nil {
				return make([]table.Cell, 2)
			}
			return []table.Cell{table.Number(x.Interval.Low, 4), table.Number(x.Interval.High, 4)}
		}},
		column("answer", func(x until.Comparison) table.Cell {
			if x.Verdict == until.Open && course.Units() == units {
				return table.Word("open at the end")
			}
			return table.Word(verdicts[x.Verdict])
		}),
		column("after units", func(x until.Comparison) table.Cell { return table.Count(x.Units) }),
		column("of", func(until.Comparison) table.Cell { return table.Count(units) }),
	}
}

// savedNote says how many cells were not needed, and what they would have taken.
func savedNote(c campaign.Campaign) string {
	unneeded, ran := 0, 0
	calls, usd, spent := 0., 0., 0.
	for _, g := range c.View("").Groups {
		stopped, done := 0, 0
		groupCalls, groupUSD := 0., 0.
		for _, r := range g.Runs {
			switch {
			case campaign.IsUnneeded(r.Collaboration):
				stopped++
			case r.Status == record.Succeeded:
				done++
				groupCalls += float64(r.Calls)
				if r.CostUSD != nil {
					groupUSD += *r.CostUSD
				}
			}
		}
		unneeded, ran, spent = unneeded+stopped, ran+done, spent+groupUSD
		if done > 0 {
			calls += float64(stopped) * groupCalls / float64(done)
			usd += float64(stopped) * groupUSD / float64(done)
		}
	}
	if unneeded == 0 {
		return "No cell is saved (yet): what is not needed is stopped when no comparison is open."
	}
	return fmt.Sprintf("Saved against the whole plan: %d of %s, which ended stopped: answered; at the means of those "+
		"of their condition that succeeded, these would have taken %.0f calls and $%.2f (those that ran took $%.2f).",
		unneeded, wording.Count(unneeded+ran, "cell"), calls, usd, spent)
}
