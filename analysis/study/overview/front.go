package overview

import (
	"math"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// Resource is a kind of cost of a collaboration: tokens, money or time.
type Resource struct {
	Name     string
	decimals int
	of       func(campaign.Run) (float64, bool)
}

// Resources returns tokens, money and time; less is better.
func Resources() []Resource {
	return []Resource{
		{"tokens", 0, func(r campaign.Run) (float64, bool) { return float64(r.Asked.Tokens()), true }},
		{"USD", 6, campaign.Run.Price},
		{"seconds", 1, secondsTaken},
	}
}

// Taken is how much of a resource a condition takes, on average per collaboration.
type Taken struct {
	*statistics.Ratio
	Dominated string // by which conditions; empty if by none
}

// InFront is a condition with its outcome and what it takes of each of the Resources; the ratio is nil if that
// is unknown or costs nothing in any condition.
type InFront struct {
	campaign.Group
	Title string
	Outcome
	Taken []Taken
}

// Fronts returns the conditions of an environment that have an outcome, without controls that only repeat
// another condition.
func Fronts(v campaign.View, environment string) []InFront {
	var rows []InFront
	for _, g := range v.WithoutSame() {
		if o, ok := OutcomeOf(g); ok && g.Settings["env"] == environment {
			rows = append(rows, InFront{g, v.Title(g), o, make([]Taken, len(Resources()))})
		}
	}
	for k, resource := range Resources() {
		most := 0.0
		for _, row := range rows {
			if row.Taken[k].Ratio = campaign.MeanOver(row.Succeeded(), resource.of); row.Taken[k].Ratio != nil {
				most = max(most, row.Taken[k].Value)
			}
		}
		for i, row := range rows {
			if most == 0 {
				row.Taken[k].Ratio = nil
				continue
			}
			var by []string
			for j, other := range rows {
				if i != j && row.isDominated(other, k) {
					by = append(by, other.Title+unsureMark(row, other, resource))
				}
			}
			row.Taken[k].Dominated = strings.Join(by, "; ")
		}
	}
	return rows
}

// isDominated reports whether another condition reaches no less for no more of a resource,
// and differs in one of the two.
func (x InFront) isDominated(by InFront, resource int) bool {
	mine, theirs := x.Taken[resource].Ratio, by.Taken[resource].Ratio
	if mine == nil || theirs == nil || by.Value < x.Value || theirs.Value > mine.Value {
		return false
	}
	return by.Value > x.Value || theirs.Value < mine.Value
}

// unsureMark returns a question mark unless one condition is better than another in both
// respects, in pairs, beyond their 95 % intervals.
func unsureMark(x, by InFront, resource Resource) string {
	surely := func(a, b campaign.Group, of func(campaign.Run) (float64, bool)) bool {
		values := campaign.PairedBy(a.Succeeded(), b.Succeeded(), of).Values()
		if len(values) < 2 {
			return false
		}
		mean, within := statistics.MeanInterval(values)
		return mean > 0 && (within == nil || within.Low > 0)
	}
	if surely(by.Group, x.Group, campaign.Run.Outcome) && surely(x.Group, by.Group, resource.of) {
		return ""
	}
	return "?"
}

// Front returns the outcome of each condition and the resources that it takes, and which conditions reach more
// for less.
func Front(c campaign.Campaign) (table.Table, bool) {
	v := c.View("", "env")
	t := table.Table{Title: "Outcome against tokens, money and time, and which conditions reach more for less"}
	var rows []InFront
	for _, environment := range v.Environments() {
		rows = append(rows, Fronts(v, environment)...)
	}
	of := func(r InFront) campaign.Group { return r.Group }
	columns := []table.Columns[InFront]{
		table.Of(v.LabelColumns(), of), table.Of(outcomeColumn(), of),
		{Headers: []string{"low", "high"}, Cells: func(r InFront) []table.Cell { return outcomeInterval(r.Group) }},
	}
	for k, resource := range Resources() {
		if !slices.ContainsFunc(rows, func(r InFront) bool { return r.Taken[k].Ratio != nil }) {
			continue
		}
		columns = append(columns, table.Columns[InFront]{
			Headers: []string{resource.Name, resource.Name + " low", resource.Name + " high",
				"dominated in " + resource.Name + " by"},
			Cells: func(r InFront) []table.Cell { return r.Taken[k].takenCells(resource.decimals) },
		})
	}
	thinking := table.Of(meanColumn("thinking tokens", 0, campaign.Run.Thinking), of)
	table.Fill(&t, rows, append(columns, thinking, table.Of(v.EndedColumns(), of))...)
	t.Notes = []string{
		v.ScoreNote() + " " + intervalNote(v) +
			" Tokens, USD and seconds: mean a collaboration with its 95 % t interval, as in the table outcomes; " +
			"answers from the cache count, at what they cost when they were bought. Thinking tokens are among the " +
			"tokens; empty where the service does not say how many. Money and time that nothing took are left out.",
		"Dominated by: conditions of the environment whose mean outcome is no lower for no more of the resource, and " +
			"that differ in one of them; what is left is the front. A question mark says that it is not sure: in " +
			"pairs, the 95 % interval of the difference in outcome or in the resource holds 0.",
	}
	v.AddNotes(&t)
	return t, len(rows) > 0
}

// takenCells are the mean, the ends of its interval, and by what it is dominated.
func (x Taken) takenCells(decimals int) []table.Cell {
	if x.Ratio == nil {
		return make([]table.Cell, 4)
	}
	cells := append([]table.Cell{table.Number(x.Value, decimals)},
		campaign.IntervalCells(x.Interval(), decimals, math.Inf(1))...)
	return append(cells, table.Word(x.Dominated))
}
