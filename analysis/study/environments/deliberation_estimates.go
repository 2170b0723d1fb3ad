package environments

import (
	"slices"

	"roundtable/analysis/campaign"
	"roundtable/analysis/statistics"
	"roundtable/analysis/table"
)

// toolsTable returns Table 4 of paper 3: what the solver proposed last, what was decided,
// and how often the two are the same.
func toolsTable(c campaign.Campaign) (table.Table, bool) {
	v, all, _ := deliberationsOf(c)
	t := table.Table{Title: "Use of the solver"}
	solving := slices.DeleteFunc(slices.Clone(all), func(d deliberations) bool { return d.meanOf(toolNR).Value == nil })
	table.Fill(&t, solving, headColumns(v), settingColumn(), meanColumn("tool NR", toolNR),
		meanColumn("actual NR", rewardOf), meanColumn("compliance %", compliedOf))
	t.Notes = []string{"Tool NR: of the solver's last proposal. Compliance: decisions that are that proposal exactly."}
	addTaskNotes(v, &t)
	return t, len(t.Rows) > 0
}

// Rows over several conditions: agents that estimate, and with them the one that
// is handed the state.
const (
	allDeliberations = "deliberations"
	withCentralized  = "no oracle (centralized included)"
)

// estimatesTable returns Table 6: errors of the agents' last estimates, and the rounds that
// were run; by condition, over all deliberations, and over all that are not an oracle.
func estimatesTable(c campaign.Campaign) (table.Table, bool) {
	v, all, _ := deliberationsOf(c)
	t := table.Table{Title: "Errors of the agents' estimates"}
	var rows []deliberations
	rows = append(rows, all...)
	informed := slices.DeleteFunc(slices.Clone(all), func(d deliberations) bool { return d.variant == oracle })
	for _, pool := range table.Gather(informed, func(d deliberations) string { return d.setting + "\x00" + d.same }) {
		estimating := slices.DeleteFunc(slices.Clone(pool),
			func(d deliberations) bool { return d.variant == centralized })
		if len(pool) > 1 && len(estimating) > 0 {
			rows = append(rows, poolConditions(allDeliberations, estimating))
		}
		if len(estimating) < len(pool) && len(estimating) > 0 {
			rows = append(rows, poolConditions(withCentralized, pool))
		}
	}
	mean := func(header string, decimals int, measure func(campaign.Run) (float64, bool)) table.Columns[deliberations] {
		return table.Column(header, func(d deliberations) table.Cell {
			return campaign.MeanCell(d.Succeeded(), decimals, ifMeasured(measure))
		})
	}
	table.Fill(&t, rows, headColumns(v), settingColumn(),
		mean("HR", 3, hitRateOf),
		table.Column("HR sd", func(d deliberations) table.Cell {
			var rate table.Sample
			for _, r := range d.Succeeded() {
				rate.Add(ifMeasured(hitRateOf)(r))
			}
			return rate.Deviation(3)
		}),
		mean("NMAE pooled", 3, errorOf),
		mean("rounds", 2, func(r campaign.Run) (float64, bool) { return float64(r.RoundsRun), true }))
	t.Notes = []string{
		"HR: share of the state's components that are estimated strictly too high, its mean (standard error " +
			v.UnitsNote() + ") and standard deviation over collaborations; the paper prints the latter. A " +
			"centralized agent is handed the state and estimates nothing, so it is not part of the row of all " +
			"deliberations; the row with it is the other reading of the paper's \"non-oracle\". NMAE: mean relative " +
			"error of pooled (public) resources. Both are means over the agents' last estimates. " + v.CellsNote(),
	}
	addTaskNotes(v, &t)
	return t, len(all) > 0
}

// poolConditions returns several conditions of one setting as one of this name.
func poolConditions(name string, pool []deliberations) deliberations {
	all := pool[0]
	all.variant, all.tools, all.Runs = name, "all", nil
	for _, d := range pool {
		all.Runs = append(all.Runs, d.Runs...)
	}
	return all
}

// points are pairs of values that are related to each other: one for each unit of
// a condition, the mean over its collaborations.
type points struct{ x, y []float64 }

// add the means of both values by unit, over the runs that have both.
func (p *points) add(runs []campaign.Run, x, y func(campaign.Run) (float64, bool)) {
	both := slices.DeleteFunc(slices.Clone(runs), func(r campaign.Run) bool {
		_, isX := x(r)
		_, isY := y(r)
		return !isX || !isY
	})
	p.x, p.y = append(p.x, campaign.ByUnit(both, x).Values()...), append(p.y, campaign.ByUnit(both, y).Values()...)
}

// addGaps adds a condition's HR and what its centralized twin is above it.
func (p *points) addGaps(d deliberations, central *deliberations) {
	if central == nil {
		return
	}
	gain := campaign.Above(central.measuredRuns(), rewardOf)
	p.add(d.measuredRuns(), hitRateOf, func(r campaign.Run) (float64, bool) {
		v, ok := gain(r)
		return -v, ok
	})
}

// gapsTable returns Table 7: the regression of the centralized gap, NR centralized - NR
// deliberation, on the hallucination rate, over deliberations.
func gapsTable(c campaign.Campaign) (table.Table, bool) {
	v, all, settings := deliberationsOf(c)
	t := v.Start("Hallucination and the centralized gap, and what goes along with NR")
	t.Columns = []string{"relation", "tools", "setting", "n", "slope", "se", "R²", "p", "Pearson r",
		"Spearman rho", "rho p"}
	var overall points
	for _, s := range settings {
		var list points
		for _, d := range all {
			if d.setting == s && d.variant == deliberationProtocol {
				list.addGaps(d, twinOf(all, d, centralized))
			}
		}
		overall.x, overall.y = append(overall.x, list.x...), append(overall.y, list.y...)
		addLine(&t, gapRelation, "both", s, list)
	}
	if len(settings) > 1 {
		addLine(&t, gapRelation, "both", "overall", overall)
	}
	t.Notes = []string{
		"HR → gap: least squares of NR centralized - NR deliberation on HR, of the centralized decision on the same " +
			"task with the same tools and model. The slope is for a change of HR by 1. One observation is one " +
			"instance under one condition, the mean over its replicates, which are not evidence of their own " +
			"(replicates where there is only one instance); n counts these. NMAE → NR: over the same.",
	}
	for _, tools := range []bool{false, true} {
		for _, s := range settings {
			addErrors(&t, "NMAE → NR", tools, s, all, deliberationProtocol)
			if slices.ContainsFunc(all, func(d deliberations) bool {
				return d.variant == centralized && d.setting == s && (d.tools != "") == tools &&
					slices.ContainsFunc(d.measuredRuns(),
						func(r campaign.Run) bool { return measuresOf(r).NMAE != nil })
			}) {
				addErrors(&t, errorsOfAll, tools, s, all, deliberationProtocol, centralized)
			}
		}
	}
	if slices.ContainsFunc(t.Rows, func(row []table.Cell) bool { return row[0].Text == errorsOfAll }) {
		t.Notes = append(t.Notes, "With centralized decisions, whose agent is handed the state, the relation is "+
			"mostly between the two kinds.")
	}
	addTaskNotes(v, &t)
	return t, len(t.Rows) > 0
}

// Relations of Table 7.
const (
	gapRelation = "HR → gap"
	errorsOfAll = "NMAE → NR, centralized included"
)

// addErrors relates the errors of estimates to rewards, in the given variants of a setting.
func addErrors(t *table.Table, relation string, tools bool, setting string, all []deliberations, variants ...string) {
	var list points
	for _, d := range all {
		if d.setting == setting && slices.Contains(variants, d.variant) && (d.tools != "") == tools {
			list.add(d.measuredRuns(), errorOf, rewardOf)
		}
	}
	addLine(t, relation, map[bool]string{true: "yes", false: "no"}[tools], setting, list)
}

// addLine adds nothing where there is nothing to relate.
func addLine(t *table.Table, relation, tools, setting string, of points) {
	line, err := statistics.LineOf(of.x, of.y)
	if err != nil {
		return
	}
	row := []table.Cell{table.Word(relation), table.Word(tools), table.Word(setting), table.Count(line.N),
		table.Number(line.Slope, 2), table.Number(line.SE, 2), table.Number(line.R*line.R, 4), table.Number(line.P, 4),
		table.Number(line.R, 4)}
	rho, err := statistics.Spearman(of.x, of.y)
	if err != nil {
		row = append(row, table.Cell{}, table.Cell{})
	} else {
		row = append(row, table.Number(rho.R, 4), table.Number(rho.P, 4))
	}
	t.Rows = append(t.Rows, row)
}
