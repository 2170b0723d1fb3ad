package forks

import (
	"cmp"
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// beginning is what forks of one collaboration have in common: its question, whatever its
// number, and its replicate.
type beginning = campaign.Pair

// row is one change of one condition.
type row struct {
	campaign.Group
	fork      campaign.Fork
	original  map[beginning]campaign.Run
	unchanged map[beginning][]campaign.Run // forked at the same point without a change
}

// Effects returns the effect of each change of a fork; false if c is no fork, or its original is not there.
func Effects(c campaign.Campaign) (table.Table, bool) {
	if c.Original == nil {
		return table.Table{}, false
	}
	v := c.View("")
	v.Whole = true
	rows := rowsOf(c, v)
	if len(rows) == 0 {
		return table.Table{}, false
	}
	t := table.Table{Title: "Forks of " + c.Original.Name + ": what each change does"}
	mean := func(header string, of func(row, campaign.Run) (float64, bool)) table.Columns[row] {
		return table.Column(header, func(r row) table.Cell {
			return campaign.MeanCell(r.Succeeded(), 3, func(run campaign.Run) (float64, bool) { return of(r, run) })
		})
	}
	table.Fill(&t, rows, table.Of(v.LabelColumns(), func(r row) campaign.Group { return r.Group }),
		table.Column("reached, %", func(r row) table.Cell {
			return table.MeanPercent(campaign.RatioOver(r.Succeeded(), func(run campaign.Run) (float64, float64) {
				return table.HundredIf(r.isReached(run)) / 100, 1
			}))
		}),
		mean("as it was", row.asItWas),
		mean("outcome", func(_ row, run campaign.Run) (float64, bool) { return run.Outcome() }),
		table.Columns[row]{Headers: []string{"effect", "low", "high", "p"}, Cells: row.effectCells},
		table.Column("by chance, SD", func(r row) table.Cell { return table.NumberOrEmpty(r.chanceSpread(), 3) }),
		table.Column("calls", func(r row) table.Cell { return table.Count(r.countCalls()) }),
		table.Column("cost USD", func(r row) table.Cell { return table.NumberOrEmpty(sumPaid(r.Runs), 4) }),
		table.Column("original USD",
			func(r row) table.Cell { return table.NumberOrEmpty(sumPaid(r.originalRuns()), 4) }),
		table.Of(v.EndedColumns(), func(r row) campaign.Group { return r.Group }))
	t.Notes = append(t.Notes,
		"Each collaboration continues the stored turns of one of "+c.Original.Name+
			", its beginning, up to the point of the fork; nothing of these was asked again. Reached: has turns "+
			"after that point, or ends there by what is changed; the others are the original to its end.",
		"Effect: mean outcome with the change minus that as it was, of the same beginning: of the original, and of "+
			"what continued from the same turn without a change, where there is such: a message that is removed or "+
			"replaced is that turn or the last one before it. Paired, the mean over "+c.CountedUnits()+
			", with its 95 % t interval and Student's p, not corrected for the number of rows. A row without a change is compared with the original alone: its effect is 0 but for chance; a row of which no collaboration was changed has none. "+v.ScoreNote(),
		"By chance: standard deviation of outcomes that continued from one beginning in the same way, pooled over "+
			"the beginnings that reached the point; it needs replicates. Cost: what was paid for what was asked "+
			"after the fork, and of the whole originals; empty where a price is not known.")
	v.AddNotes(&t)
	return t, true
}

// rowsOf returns the changes, those without a change first.
func rowsOf(c campaign.Campaign, v campaign.View) []row {
	originals := map[string]map[beginning]campaign.Run{}
	for _, r := range c.Original.Runs {
		if originals[r.ConditionID] == nil {
			originals[r.ConditionID] = map[beginning]campaign.Run{}
		}
		originals[r.ConditionID][campaign.PairOf(r.Collaboration)] = r
	}
	var rows []row
	for _, g := range v.Groups {
		if len(g.Runs) == 0 {
			continue
		}
		if fork := campaign.ForkOf(g.Runs[0].SettingsJSON); fork != nil {
			rows = append(rows, row{Group: g, fork: *fork, original: originals[fork.Condition],
				unchanged: map[beginning][]campaign.Run{}})
		}
	}
	for i, r := range rows {
		for _, other := range rows {
			if r.fork.IsControl() || !other.fork.IsControl() || other.fork.Condition != r.fork.Condition {
				continue
			}
			points := r.leavingPoints()
			for _, run := range other.Succeeded() {
				at := r.beginningOf(run)
				if p, known := points[at]; known && p.isOf(campaign.Part[point](run.Parts)) {
					rows[i].unchanged[at] = append(rows[i].unchanged[at], run)
				}
			}
		}
	}
	return rows
}

func (r row) beginningOf(run campaign.Run) beginning {
	at := campaign.PairOf(run.Collaboration)
	at.Replicate = r.fork.Origin(run.Replicate)
	return at
}

// leavingPoints returns where the row's collaborations leave the original, by beginning.
func (r row) leavingPoints() map[beginning]point {
	all := map[beginning]point{}
	for _, run := range r.Succeeded() {
		all[r.beginningOf(run)] = campaign.Part[point](run.Parts)
	}
	return all
}

// isReached reports whether a run is another one than its original: it has turns after the
// point, or the end that it has is of what was changed.
func (r row) isReached(run campaign.Run) bool {
	original, known := r.original[r.beginningOf(run)]
	return campaign.Part[point](run.Parts).Own || known &&
		(run.RoundsRun != original.RoundsRun || run.EndReason != original.EndReason)
}

// asItWas returns the mean outcome of a run's beginning without the change.
func (r row) asItWas(run campaign.Run) (float64, bool) {
	values := r.unchangedOutcomes(r.beginningOf(run))
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(len(values), 1)), len(values) > 0
}

// unchangedOutcomes returns the outcomes that a beginning had without the change.
func (r row) unchangedOutcomes(at beginning) []float64 {
	runs := slices.Clone(r.unchanged[at])
	if original, ok := r.original[at]; ok {
		runs = append(runs, original)
	}
	return outcomesOf(runs)
}

func outcomesOf(runs []campaign.Run) []float64 {
	var all []float64
	for _, run := range runs {
		if y, ok := run.Outcome(); ok {
			all = append(all, y)
		}
	}
	return all
}

// beginningsWith returns the beginnings with those runs that went on from them which are kept, in
// their order.
func (r row) beginningsWith(keep func(campaign.Run) bool) []Cell {
	changed := map[beginning][]campaign.Run{}
	var order []beginning
	units := map[beginning]int32{}
	for _, run := range r.Succeeded() {
		if !keep(run) {
			continue
		}
		at := r.beginningOf(run)
		if changed[at] == nil {
			order = append(order, at)
		}
		changed[at], units[at] = append(changed[at], run), run.Unit
	}
	slices.SortFunc(order, func(a, b beginning) int {
		return cmp.Or(cmp.Compare(changed[a][0].Instance, changed[b][0].Instance),
			cmp.Compare(a.Replicate, b.Replicate))
	})
	var cells []Cell
	for _, at := range order {
		cells = append(cells, Cell{Unit: units[at], AsItWas: r.unchangedOutcomes(at), Changed: outcomesOf(changed[at])})
	}
	return cells
}

// effectCells are the mean difference by unit, its interval and p.
func (r row) effectCells() []table.Cell {
	if !slices.ContainsFunc(r.Succeeded(), r.isReached) {
		return make([]table.Cell, 4)
	}
	values := EffectsOf(r.beginningsWith(func(campaign.Run) bool { return true }))
	if len(values) == 1 {
		return []table.Cell{table.Number(values[0], 3), {}, {}, {}}
	}
	cells := campaign.MeanInterval(values, 3, r.MostDifference())
	if test, err := statistics.Paired(values); err == nil {
		return append(cells, table.PValue(&test.P))
	}
	return append(cells, table.Cell{})
}

// chanceSpread returns the spread of outcomes from one beginning; of a row without a change, the
// original is one of them.
func (r row) chanceSpread() *float64 {
	var groups [][]float64
	for _, c := range r.beginningsWith(r.isReached) {
		if r.fork.IsControl() {
			c.Changed = append(slices.Clone(c.Changed), c.AsItWas...)
		}
		groups = append(groups, c.Changed)
	}
	return Chance(groups)
}

func (r row) countCalls() (n int64) {
	for _, run := range r.Runs {
		n += int64(run.Collaboration.Calls)
	}
	return n
}

// sumPaid returns what was billed for runs; nil if a price is not known.
func sumPaid(runs []campaign.Run) *float64 {
	sum := 0.0
	for _, r := range runs {
		if r.CostUSD == nil {
			return nil
		}
		sum += *r.CostUSD
	}
	return &sum
}

// originalRuns returns those from which the row's runs go on, each once.
func (r row) originalRuns() (all []campaign.Run) {
	seen := map[beginning]bool{}
	for _, run := range r.Runs {
		if at := r.beginningOf(run); !seen[at] {
			seen[at] = true
			all = append(all, r.original[at])
		}
	}
	return all
}
