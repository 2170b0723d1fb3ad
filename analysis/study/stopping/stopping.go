// Package stopping shows what early stopping rules would have done to finished collaborations (paper 1):
// cross-validated score and cost, folds, and the regression of the outcome on dialogue acts.
package stopping

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"roundtable/analysis/acts"
	"roundtable/analysis/campaign"
	"roundtable/analysis/crossval"
	"roundtable/analysis/statistics"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/table"
)

// Folds of the cross-validation in Tables 2, 10 and 11, and the seed by which
// collaborations are dealt to them: alike in all conditions.
const (
	Folds    = crossval.FoldCount
	FoldSeed = crossval.FoldSeed
)

// judged is one condition with what stopping rules make of it.
type judged struct {
	campaign.Group
	environment string
	data        *crossval.Data
	results     []crossval.Result  // by method; nil if they could not be judged
	summaries   []crossval.Summary // likewise
}

// judgeMethods cross-validates all methods on every condition of an environment, and
// says in words what could not be.
func judgeMethods(c campaign.Campaign, v campaign.View) (list []judged, notes []string) {
	var all []*crossval.Data
	for _, g := range v.Groups {
		j := judged{Group: g, environment: g.Settings["env"]}
		d, err := crossval.NewData(trajectoriesOf(c, g.ID))
		if err != nil {
			notes = append(notes, fmt.Sprintf("Not judged: %s, %v.", g.ID, err))
		} else {
			j.data, all = d, append(all, d)
		}
		list = append(list, j)
	}
	if len(all) == 0 {
		return list, notes
	}
	folds, err := crossval.NewFolds(crossval.Units(all...), Folds, FoldSeed)
	if err != nil {
		return list, append(notes, fmt.Sprintf("Not judged: %v.", err))
	}
	for i, j := range list {
		if j.data == nil {
			continue
		}
		results, err := crossval.Validate(context.Background(), j.data, folds, crossval.Methods())
		if err != nil {
			notes = append(notes, fmt.Sprintf("Not judged: %s, %v.", j.ID, err))
			continue
		}
		list[i].results, list[i].summaries = results, crossval.Summarize(j.data, results)
	}
	return list, append(notes, remarksOnce(list)...)
}

// trajectoriesOf returns the trajectories of a condition. Their units, which folds keep
// together and errors are over, are instances where the environment has at least
// as many as there are folds, else collaborations.
func trajectoriesOf(c campaign.Campaign, condition string) []acts.Trajectory {
	return trajectoriesByUnit(c, condition, Folds)
}

// trajectoriesByUnit returns the trajectories of a condition. Their units are instances
// where the environment has at least that many, else collaborations.
func trajectoriesByUnit(c campaign.Campaign, condition string, least int) []acts.Trajectory {
	runs := acts.ByInstance(campaign.TrajectoriesOf(c).Runs, least)
	return slices.DeleteFunc(runs, func(t acts.Trajectory) bool { return t.Condition != condition })
}

// remarksOnce say once what methods could not be used, and why rules never stop.
func remarksOnce(list []judged) []string {
	var r reasons
	for _, j := range list {
		for _, s := range j.summaries {
			if s.Absent != "" {
				r.add("No "+s.Method+": "+s.Absent, j.ID)
			}
			for _, n := range s.Notes {
				r.add(s.Method+" never stops "+n, j.ID)
			}
			if s.Partly != "" {
				r.add(s.Method+": "+s.Partly, j.ID)
			}
		}
	}
	return r.explainReasons(len(list))
}

const stoppingNote = "Cross-validation in 5 folds (seed 1, the same folds for all conditions and methods): a rule is " +
	"made on four folds and judged on the fifth. " +
	"Folds and standard errors are over instances where an environment has at least 5, so that replicates of one " +
	"instance stay together, else over collaborations; the table folds lists them. Mean (standard error). A rule " +
	"that never stops one leaves it at its last round. Fixed Best Round and Oracle are for comparison: the best " +
	"round for all, and the best for each. " +
	"Where n= is shown, the others were stopped before anything was decided: they have no score and are left out, so " +
	"such a figure rests on easier or harder ones than its neighbours. " +
	"In training, a collaboration that has not decided at a stop counts with its own worst score, so rounds and " +
	"parameters are compared on the same collaborations."

const gapNote = "Gap closed: (method - baseline) / (Oracle - baseline), in percent (standard error over the units of " +
	"the folds, which conditions share), of means over the collaborations in which all three have a score; " +
	"n= where that is not all of them. gap ≈ 0: what the Oracle gains over the baseline is within its own error of 0 " +
	"(95 %), so there is no share of it."

// EarlyStopping returns Table 10 of paper 1: the result of each stopping rule in each condition, as share of
// the greatest total utility (exchange), MAE (recsys) or score.
func EarlyStopping(c campaign.Campaign) (table.Table, bool) {
	return stoppingTable(c, c.View("", "env", "rule"), "Early stopping by decision rule")
}

// EarlyStoppingRecsys returns Table 2 of paper 1: EarlyStopping for the recommendation system alone.
func EarlyStoppingRecsys(c campaign.Campaign) (table.Table, bool) {
	return stoppingTable(c, c.View(campaign.Recsys, "rule"), "Early stopping in the recommendation system")
}

func stoppingTable(c campaign.Campaign, v campaign.View, title string) (table.Table, bool) {
	v.Whole = true
	t := startByMethod(v, title, "measure")
	list, notes := judgeMethods(c, v)
	for _, j := range list {
		row := append([]table.Cell{table.Word(measureOf(j.environment))}, v.Label(j.Group)...)
		t.Rows = append(t.Rows, append(row, j.methodRow(achievedScore)...))
	}
	t.Rows = append(t.Rows, closedRows(v, list)...)
	t.Notes = append([]string{stoppingNote,
		gapNote + " In the row of all conditions of an environment, both differences are sums over its conditions, " +
			"each of which counts the same whatever its n; the row of all environments is the mean of theirs."}, notes...)
	addStoppingNotes(c, v, &t)
	return t, len(v.Groups) > 0
}

// startByMethod returns a table whose columns are first, the condition, each stopping rule, and n.
func startByMethod(v campaign.View, title, first string) table.Table {
	t := v.Start(title)
	t.Columns = append([]string{first}, t.Columns...)
	for _, m := range crossval.Methods() {
		t.Columns = append(t.Columns, m.Name())
	}
	t.Columns = append(t.Columns, "n")
	return t
}

// addStoppingNotes adds the notes of all tables that judge stopping rules.
func addStoppingNotes(c campaign.Campaign, v campaign.View, t *table.Table) {
	addExcluded(c, t)
	dialogue.AddEmbedderNote(c, t)
	dialogue.AddLabellerNote(c, t, nil)
	addGoldNote(c, t)
	v.AddNotes(t)
}

func measureOf(environment string) string {
	switch environment {
	case campaign.Exchange:
		return "total utility"
	case campaign.Recsys:
		return "MAE"
	}
	return "score"
}

// methodRow is one cell a method and the number of collaborations.
func (j judged) methodRow(cell func(judged, crossval.Summary) table.Cell) []table.Cell {
	var cells []table.Cell
	for i := range crossval.Methods() {
		if j.summaries == nil || j.summaries[i].Absent != "" {
			cells = append(cells, table.Cell{})
		} else {
			cells = append(cells, cell(j, j.summaries[i]))
		}
	}
	n := 0
	if j.data != nil {
		n = len(j.data.Runs)
	}
	return append(cells, table.Count(n))
}

// achievedScore score; of the recommendation system the error, which is its negative.
func achievedScore(j judged, s crossval.Summary) table.Cell {
	if s.Score == nil {
		return table.Cell{}
	}
	value := *s.Score
	if j.environment == campaign.Recsys {
		value = -value
	}
	return table.Cell{Value: &value, SE: s.SE, N: s.Defined, Decimals: 3, Partial: s.Defined < s.N}
}

// closedRows returns one row an environment, the gap closed over all its conditions,
// and the mean of these if there are several.
func closedRows(v campaign.View, list []judged) [][]table.Cell {
	var environments []string
	gaps := map[string][][]crossval.Compared{} // by method
	for _, j := range list {
		if j.summaries == nil {
			continue
		}
		if gaps[j.environment] == nil {
			environments = append(environments, j.environment)
			gaps[j.environment] = make([][]crossval.Compared, len(j.summaries))
		}
		for i, s := range j.summaries {
			gaps[j.environment][i] = append(gaps[j.environment][i], s.Compared)
		}
	}
	var rows [][]table.Cell
	byMethod := make([][]crossval.Closure, len(crossval.Methods()))
	for _, environment := range environments {
		row := append([]table.Cell{table.Word(gapStatistic)}, v.LabelAll(environment)...)
		for i, g := range gaps[environment] {
			c := crossval.Closed(g)
			byMethod[i] = append(byMethod[i], c)
			row = append(row, gapClosed(c))
		}
		rows = append(rows, append(row, table.Cell{}))
	}
	if len(environments) > 1 {
		row := append([]table.Cell{table.Word(gapStatistic)}, v.LabelAll("all")...)
		for _, c := range byMethod {
			row = append(row, gapClosed(crossval.MeanClosure(c)))
		}
		rows = append(rows, append(row, table.Cell{}))
	}
	return rows
}

// gapClosed returns a share in percent, with its n where it is not of all collaborations.
func gapClosed(c crossval.Closure) table.Cell {
	switch {
	case c.N == 0:
		return table.Cell{}
	case c.Share == nil:
		return table.Word("gap ≈ 0")
	}
	cell := table.MeanPercent(&statistics.Ratio{Value: *c.Share, SE: c.SE, N: c.N})
	cell.Partial = c.N < c.Of
	return cell
}

// addExcluded says which collaborations are not judged, by reason.
func addExcluded(c campaign.Campaign, t *table.Table) {
	byReason := map[string]int{}
	for _, l := range campaign.TrajectoriesOf(c).Excluded {
		byReason[l.Reason]++
	}
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		t.Notes = append(t.Notes, fmt.Sprintf("Not judged: %s, %s.", campaign.Collaborations(byReason[reason]), reason))
	}
}
