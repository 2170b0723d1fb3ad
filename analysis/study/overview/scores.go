// Package overview shows any campaign: outcomes by condition and instance, comparisons of conditions, rounds,
// and what was run.
package overview

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/lake/record"
	"roundtable/analysis/table"
)

// ByCondition returns the outcome of each condition, for any protocol, with its 95 % interval; next to it the
// share of collaborations that decided, and the outcome of those alone.
func ByCondition(c campaign.Campaign) (table.Table, bool) {
	v := c.View("", "env")
	t := table.Table{Title: "Outcome by condition"}
	table.Fill(&t, v.Groups, v.LabelColumns(),
		table.Column("measure", func(g campaign.Group) table.Cell { return table.Word(campaign.ScoreIs(g)) }),
		outcomeColumn(),
		table.Columns[campaign.Group]{Headers: []string{"low", "high"}, Cells: outcomeInterval},
		decidedColumn(),
		meanColumn("of decided", 4, scoreOfDecided),
		v.EndedColumns())
	t.Notes = []string{v.ScoreNote() + " " + intervalNote(v) + " " + v.CountsNote() +
		" Of decided: over groups with a decision alone, so conditions that seldom decide look good there."}
	v.AddNotes(&t)
	return t, len(v.Groups) > 0
}

// ByInstance returns the outcome of each instance, or question: one row per instance, one column per
// condition.
func ByInstance(c campaign.Campaign) (table.Table, bool) {
	v := c.View("")
	t := table.Table{Title: "Outcome by instance", Columns: []string{"env", "instance"}}
	type instance struct {
		env, id string
		index   int32
	}
	values := map[instance]map[string][]campaign.Run{} // by condition
	for _, g := range v.Groups {
		if !slices.Contains(t.Columns, v.Title(g)) {
			t.Columns = append(t.Columns, v.Title(g))
		}
		for _, r := range g.Succeeded() {
			at := instance{r.Environment, r.InstanceID, r.Instance}
			if values[at] == nil {
				values[at] = map[string][]campaign.Run{}
			}
			values[at][v.Title(g)] = append(values[at][v.Title(g)], r)
		}
	}
	order := slices.SortedFunc(maps.Keys(values), func(a, b instance) int {
		return cmp.Or(cmp.Compare(a.env, b.env), cmp.Compare(a.index, b.index), cmp.Compare(a.id, b.id))
	})
	for _, at := range order {
		row := []table.Cell{table.Word(at.env), table.Word(at.id)}
		for _, title := range t.Columns[2:] {
			cell := table.Cell{}
			if m := campaign.MeanOver(values[at][title], campaign.Run.Outcome); m != nil {
				cell = table.Number(m.Value, 4)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{v.ScoreNote() + " Mean over the replicates of the instance."}
	v.AddNotes(&t)
	return t, len(t.Rows) > 0
}

// Outcome is the mean outcome of a condition with its 95 % interval over N units.
type Outcome struct {
	Value     float64
	Low, High *float64 // of a share cut at 0 and 1; nil for one unit, and without spread
	N         int
}

// intervalNote says what the interval of an outcome is.
func intervalNote(v campaign.View) string {
	return "Mean (standard error) and 95 % t interval, " + v.UnitsNote() +
		"; of a share it is cut at 0 and 1, and exact (Clopper-Pearson) where all are 0 or all are 1. No interval: " +
		"one value only, or several without spread."
}

// OutcomeOf returns the outcome of a condition as the table outcomes has it; false if no
// collaboration has a value.
func OutcomeOf(g campaign.Group) (Outcome, bool) {
	m := campaign.MeanOver(g.Succeeded(), campaign.Run.Outcome)
	if m == nil {
		return Outcome{}, false
	}
	o := Outcome{Value: m.Value, N: m.N}
	within := m.Interval()
	if g.Measure() == record.Share {
		within = m.ShareInterval()
	}
	if within != nil {
		o.Low, o.High = &within.Low, &within.High
	}
	return o, true
}

// GuessingScore returns the expected score of guessing among the options; nil if it is unknown for a collaboration
// of the view, or differs between them.
func GuessingScore(v campaign.View) *float64 {
	var score *float64
	for _, g := range v.Groups {
		for _, r := range g.Succeeded() {
			var blind map[string]float64
			if r.BaselinesJSON == nil || json.Unmarshal([]byte(*r.BaselinesJSON), &blind) != nil {
				return nil
			}
			chance, known := blind["chance"]
			if !known || score != nil && *score != chance {
				return nil
			}
			score = &chance
		}
	}
	return score
}

// outcomeInterval returns the ends of the outcome's interval, as two cells.
func outcomeInterval(g campaign.Group) []table.Cell {
	o, ok := OutcomeOf(g)
	if !ok || o.Low == nil {
		return make([]table.Cell, 2)
	}
	return []table.Cell{table.Number(*o.Low, 4), table.Number(*o.High, 4)}
}
