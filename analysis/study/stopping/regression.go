package stopping

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"roundtable/analysis/campaign"
	"roundtable/analysis/regression"
	"roundtable/analysis/study/dialogue"
	"roundtable/analysis/table"
)

// Of the regressions: permutations, enough for one pair among 121 to have an
// adjusted p-value of 0.025, and their seed.
const (
	permutations = 4999
	permuteSeed  = 1
)

// Regression returns the regression of the score on pairs of dialogue acts for each condition: every fitted
// pair.
func Regression(c campaign.Campaign) (table.Table, bool) { return regressionTable(c, 0) }

// RegressionTop returns the rows of Regression with the smallest p-values.
func RegressionTop(c campaign.Campaign) (table.Table, bool) { return regressionTable(c, 10) }

// regressionTable shows the n pairs of smallest p-values of a condition, or all if most is 0.
func regressionTable(c campaign.Campaign, most int) (table.Table, bool) {
	v := c.View("", "env", "rule")
	v.Whole = true
	t := v.Start("Score of a round and pairs of dialogue acts")
	t.Columns = append(t.Columns, "pair", "coefficient", "permutation p", "BH", "clustered SE", "clustered p", "t", "p",
		"the same rows as")
	sample := campaign.TrajectoriesOf(c).Labels.Gold
	if !sample.IsEmpty() {
		t.Columns = append(t.Columns, correctedColumns...)
	}
	var about []string
	empty := dialogue.Emptied{}
	for _, g := range v.Groups {
		runs := trajectoriesByUnit(c, g.ID, 2)
		a, err := regression.RegressActs(runs, permutations, permuteSeed)
		if err != nil {
			about = append(about, fmt.Sprintf("No regression: %s, %v.", g.ID, err))
			continue
		}
		shown := firstEffects(a.Effects, most)
		fixed, notes := correct(g.ID, runs, sample, a.Effects, empty)
		for _, e := range shown {
			t.Rows = append(t.Rows, append(append(v.Label(g), effectCells(e, a.N)...), fixed[e.Name]...))
		}
		about = append(about, notes...)
		about = append(about, explainFit(g.ID, a, len(shown)))
		for _, w := range a.Warnings {
			about = append(about, fmt.Sprintf("%s: %s", g.ID, w))
		}
	}
	t.Notes = append([]string{
		fmt.Sprintf("permutation p: whole trajectories exchanged between instances, or, where there is only one, "+
			"between its replicates, %d times with seed %d; BH: after Benjamini and Hochberg over the pairs of the "+
			"condition. Claims rest on these: of pairs that mean nothing they reject about 0.05 at 0.05, clustered p "+
			"alone up to 0.06. A pair that the data do not determine has no figures.", permutations, permuteSeed),
		"Least squares of minimum norm; one row a collaboration and round from 2; 1 for a pair (an agent shows the " +
			"first act, in the next round another one the second) that the round shows. Coefficient (standard error) " +
			"and Student's t; clustered: by instance, or, where there is only one, by replicate (CR1), empty where " +
			"the coefficient rests on one of them alone.",
	}, about...)
	if !sample.IsEmpty() {
		t.Notes = append(t.Notes, correctedNote)
	}
	addExcluded(c, &t)
	dialogue.AddLabellerNote(c, &t, empty)
	v.AddNotes(&t)
	return t, len(v.Groups) > 0
}

// firstEffects effects by p-value; those that are not determined come last.
func firstEffects(effects []regression.Effect, most int) []regression.Effect {
	p := func(e regression.Effect) float64 {
		switch {
		case e.Permutation != nil:
			return *e.Permutation
		case e.Test != nil:
			return e.Test.P
		}
		return 2
	}
	sorted := slices.Clone(effects)
	slices.SortStableFunc(sorted, func(a, b regression.Effect) int { return cmp.Or(cmp.Compare(p(a), p(b)), cmp.Compare(b.Beta, a.Beta)) })
	if most > 0 && len(sorted) > most {
		sorted = sorted[:most]
	}
	return sorted
}

func effectCells(e regression.Effect, n int) []table.Cell {
	cells := []table.Cell{table.Word(e.Name), table.Word("not determined"), table.PValue(e.Permutation),
		table.PValue(e.Adjusted), {}, {}, {}, {}, table.Word(strings.Join(e.Same, ", "))}
	if e.Estimable {
		cells[1] = table.Cell{Value: &e.Beta, N: n, Decimals: 4}
	}
	if e.Test != nil {
		cells[1].SE, cells[6], cells[7] = &e.Test.SE, table.Number(e.Test.T, 2), table.PValue(&e.Test.P)
	}
	if e.Clustered != nil {
		cells[4], cells[5] = table.Number(e.Clustered.SE, 4), table.PValue(&e.Clustered.P)
	}
	return cells
}

// explainFit says what a regression rests on.
func explainFit(condition string, a regression.Acts, shown int) string {
	said := []string{fmt.Sprintf("%s: %d rows, rank %d, %d pairs fitted, %d left out (in fewer than %d rows, or "+
		"missing in fewer)", condition, a.N, a.Rank, len(a.Effects), len(a.Dropped), regression.Rare)}
	if shown < len(a.Effects) {
		said = append(said, fmt.Sprintf("shown are the %d of smallest p", shown))
	}
	for _, group := range a.Aliased {
		said = append(said, "only combinations are determined of "+strings.Join(group, ", "))
	}
	return strings.Join(said, "; ") + "."
}
