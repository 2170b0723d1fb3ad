package stopping

import (
	"context"
	"fmt"

	"roundtable/analysis/campaign"
	"roundtable/analysis/crossval"
	"roundtable/analysis/table"
)

// nestedSeeds by which collaborations are dealt to folds, one after the other.
var nestedSeeds = []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}

// Nested returns what Table 10 leaves open: how much of a stopping rule's gain depends on the division into
// folds, and how much of the gain on the data it was fitted on remains on other data.
func Nested(c campaign.Campaign) (table.Table, bool) {
	v := c.View("", "env", "rule")
	v.Whole = true
	t := v.Start("Early stopping over 10 divisions into folds, with its optimism")
	t.Columns = append([]string{"measure"}, t.Columns...)
	methods := crossval.NestedMethods(0)
	for _, m := range methods {
		t.Columns = append(t.Columns, m.Name())
	}
	list, notes := repeatValidation(c, v)
	for _, m := range repeatMeasures {
		for i, g := range v.Groups {
			row := append([]table.Cell{table.Word(m.name)}, v.Label(g)...)
			for k := range methods {
				cell := table.Cell{}
				if list[i] != nil && list[i][k].Absent == "" {
					cell = m.of(list[i][k])
				}
				row = append(row, cell)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	t.Notes = append([]string{
		"Score (" + v.ScoreNames() + ") of collaborations that a rule was not made on: mean over seeds 1 to 10 of " +
			"the folds, in brackets the standard deviation over seeds. " +
			"Optimism: score on the collaborations that the rule was made on, minus that. Dialogue Act (nested) " +
			"chooses its parameters on 5 inner folds, not on what its regression was fitted to.",
	}, notes...)
	addStoppingNotes(c, v, &t)
	return t, len(v.Groups) > 0
}

var repeatMeasures = []struct {
	name string
	of   func(crossval.Repeated) table.Cell
}{
	{"score", func(r crossval.Repeated) table.Cell {
		if r.Score == nil {
			return table.Cell{}
		}
		return table.Cell{Value: r.Score, SE: r.Spread, N: len(r.Seeds), Decimals: 4}
	}},
	{"optimism", func(r crossval.Repeated) table.Cell { return table.NumberOrEmpty(r.Optimism, 4) }},
	{"last round of all", func(r crossval.Repeated) table.Cell { return table.Number(r.Round, 2) }},
	{"gap closed, %", func(r crossval.Repeated) table.Cell { return table.Percent(r.GapClosed) }},
}

// repeatValidation cross-validates every condition on the same folds; nil where that cannot be done.
func repeatValidation(c campaign.Campaign, v campaign.View) (list [][]crossval.Repeated, notes []string) {
	conditions := make([]*crossval.Data, len(v.Groups))
	var all []*crossval.Data
	for i, g := range v.Groups {
		d, err := crossval.NewData(trajectoriesOf(c, g.ID))
		if err != nil {
			notes = append(notes, fmt.Sprintf("Not judged: %s, %v.", g.ID, err))
			continue
		}
		conditions[i], all = d, append(all, d)
	}
	list = make([][]crossval.Repeated, len(v.Groups))
	units := crossval.Units(all...)
	var absent reasons
	for i, d := range conditions {
		if d == nil {
			continue
		}
		repeat := func() ([]crossval.Repeated, error) {
			return crossval.Repeat(context.Background(), d, units, Folds, nestedSeeds, crossval.NestedMethods)
		}
		var err error
		if list[i], err = campaign.Remember(c, "nested", []any{d.Runs, units}, repeat); err != nil {
			notes = append(notes, fmt.Sprintf("Not judged: %s, %v.", v.Groups[i].ID, err))
			continue
		}
		for _, r := range list[i] {
			if r.Absent != "" {
				absent.add("No "+r.Method+": "+r.Absent, v.Groups[i].ID)
			}
		}
	}
	return list, append(notes, absent.explainReasons(len(v.Groups))...)
}
