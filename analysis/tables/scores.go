package tables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"roundtable/analysis/record"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// ByCondition is the outcome of each condition whatever its protocol, with its
// 95 % interval; next to it the share that decided, and how good these were.
func (c Campaign) ByCondition() (table.Table, bool) {
	v := c.view("", "env")
	t := v.start("scores", "Outcome by condition")
	t.Columns = append(append(t.Columns, "measure", "outcome", "low", "high", "decided, %", "of decided"), v.ended()...)
	for _, g := range v.groups {
		done := g.done()
		outcome := MeanOver(done, Run.Outcome)
		row := append(v.label(g), table.Word(goodnessIs(g)), meanCell(done, 4, Run.Outcome))
		row = append(row, g.interval(outcome, 4)...)
		row = append(row, meanCell(done, 1, func(r Run) (float64, bool) { return table.Hundred(r.DecisionJSON != nil), true }),
			meanCell(done, 4, func(r Run) (float64, bool) { return table.Given(r.Score) }))
		t.Rows = append(t.Rows, append(row, v.endedCells(g)...))
	}
	t.Notes = []string{v.goodnessNote() + " Mean (standard error) and 95 % t interval, " + v.unitsNote() + "; of a share it is cut at 0 and 1. " + v.countsNote() + " Of decided: over groups with a decision alone, so conditions that seldom decide look good there."}
	v.notes(&t)
	return t, len(v.groups) > 0
}

// ByInstance is the outcome of each instance, or question, by condition.
func (c Campaign) ByInstance() (table.Table, bool) {
	v := c.view("")
	t := table.Table{Name: "instances", Title: "Outcome by instance", Columns: []string{"env", "instance"}}
	type instance struct {
		env, id string
		index   int32
	}
	values := map[instance]map[string][]Run{} // by condition
	for _, g := range v.groups {
		if !slices.Contains(t.Columns, v.title(g)) {
			t.Columns = append(t.Columns, v.title(g))
		}
		for _, r := range g.done() {
			at := instance{r.Environment, r.InstanceID, r.Instance}
			if values[at] == nil {
				values[at] = map[string][]Run{}
			}
			values[at][v.title(g)] = append(values[at][v.title(g)], r)
		}
	}
	order := slices.SortedFunc(maps.Keys(values), func(a, b instance) int {
		return cmp.Or(cmp.Compare(a.env, b.env), cmp.Compare(a.index, b.index), cmp.Compare(a.id, b.id))
	})
	for _, at := range order {
		row := []table.Cell{table.Word(at.env), table.Word(at.id)}
		for _, title := range t.Columns[2:] {
			cell := table.Cell{}
			if m := MeanOver(values[at][title], Run.Outcome); m != nil {
				cell = table.Number(m.Value, 4)
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{v.goodnessNote() + " Mean over the replicates of the instance."}
	v.notes(&t)
	return t, len(t.Rows) > 0
}

// interval is the 95 % t interval of a mean outcome, as two cells; of a share cut at 0 and 1.
func (g group) interval(m *statistics.Ratio, decimals int) []table.Cell {
	if m == nil || m.SE == nil {
		return make([]table.Cell, 2)
	}
	half := statistics.QuantileT(0.975, float64(m.N-1)) * *m.SE
	low, high := m.Value-half, m.Value+half
	if g.measure() == record.Share {
		low, high = max(0, low), min(1, high)
	}
	return []table.Cell{table.Number(low, decimals), table.Number(high, decimals)}
}

// goodnessIs says what the goodness of a condition is.
func goodnessIs(g group) string {
	if is := map[string]string{
		exchange: "share of the greatest total utility", recsys: "minus the absolute error", "qa": "accuracy (SQuAD: F1)",
		"menu": "share of the greatest reward", "allocation": "share of the greatest reward",
		"consensus": "minus the distance from the mean start", "robots": "minus the distance from the mean start",
	}[g.settings["env"]]; is != "" {
		return is
	}
	return map[string]string{record.Share: "share", record.Error: "minus an error"}[g.measure()]
}

// measure is what the goodness of a condition measures.
func (g group) measure() string {
	if len(g.runs) > 0 {
		return g.runs[0].MeasureOf()
	}
	return record.Collaboration{Environment: g.settings["env"]}.MeasureOf()
}

// goodnessNote says what the goodness of the environments is, and what it is without a decision.
func (v view) goodnessNote() string {
	without := map[string]string{record.Share: "0 before a decision and without one", record.Error: "over what has a decision"}
	var parts []string
	for _, g := range v.groups {
		if part := fmt.Sprintf("%s: %s, %s", g.settings["env"], goodnessIs(g), without[g.measure()]); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return "Goodness, higher is better. " + strings.Join(parts, ". ") + "."
}

// GoodnessNote is goodnessNote of a campaign.
func (c Campaign) GoodnessNote() string { return c.view("").goodnessNote() }

// goodnessNames says what the goodness of each environment is.
func (v view) goodnessNames() string {
	var parts []string
	for _, g := range v.groups {
		if part := g.settings["env"] + ": " + goodnessIs(g); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "; ")
}

// countsNote says what is counted in a cell and in the column n.
func (v view) countsNote() string {
	return strings.TrimSuffix(v.cellsNote(), ".") + "; column n: collaborations."
}

// cellsNote says what is counted in a cell.
func (v view) cellsNote() string {
	return "n= in a cell: " + v.countedUnits() + " with a value, where some collaborations have none."
}

// countedUnits names the units that a mean rests on.
func (v view) countedUnits() string {
	switch instances, replicates := v.unitKinds(); {
	case instances && replicates:
		return "instances, or replicates of the only one,"
	case instances:
		return "instances"
	}
	return "replicates"
}

// CountedUnits names the units that a mean of the campaign rests on.
func (c Campaign) CountedUnits() string { return c.view("").countedUnits() }

// unitKinds reports whether units are instances, and whether they are replicates.
func (v view) unitKinds() (instances, replicates bool) {
	for _, g := range v.groups {
		for _, r := range g.runs {
			instances, replicates = instances || r.overInstances, replicates || !r.overInstances
		}
	}
	return instances, replicates
}

// unitsNote says what standard errors and intervals are over.
func (v view) unitsNote() string {
	switch instances, replicates := v.unitKinds(); {
	case instances && replicates:
		return "over instances, or over the replicates of the only one"
	case instances:
		return "over instances"
	}
	return "over the replicates of the only instance"
}
